// The whole recording in a narrow strip; a frame shows what the chart shows, and can be moved.
(() => {
  const pacl = globalThis.pacl ??= {};
  const HEIGHT = 54;
  const BAND = 8;

  pacl.Overview = class {
    constructor(canvas, state, show) {
      this.canvas = canvas;
      this.state = state;
      this.kept = document.createElement("canvas");
      this.stale = true;
      let from = null;
      const seconds = (event) => {
        const box = canvas.getBoundingClientRect();
        const share = (event.clientX - box.left - pacl.LEFT) / (box.width - pacl.LEFT - pacl.RIGHT);
        return state.view.from_s + share * (state.view.to_s - state.view.from_s);
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        const at = seconds(event);
        const inside = at > state.from && at < state.to;
        from = inside ? at - (state.from + state.to) / 2 : 0;
        show(at - from - (state.to - state.from) / 2, at - from + (state.to - state.from) / 2);
      });
      canvas.addEventListener("pointermove", (event) => {
        if (from === null) return;
        const middle = seconds(event) - from;
        show(middle - (state.to - state.from) / 2, middle + (state.to - state.from) / 2);
      });
      for (const end of ["pointerup", "pointercancel"]) {
        canvas.addEventListener(end, () => { from = null; });
      }
    }

    draw() {
      const { state } = this;
      const { context, width, ratio } = pacl.fitted(this.canvas, HEIGHT);
      const area = { x: pacl.LEFT, y: 2, width: width - pacl.LEFT - pacl.RIGHT, height: HEIGHT - BAND - 6 };
      const all = { from: state.view.from_s, to: Math.max(state.view.to_s, state.view.from_s + 1) };
      const x = (at) => area.x + (at - all.from) * area.width / (all.to - all.from);
      if (this.stale || this.kept.width !== this.canvas.width) {
        this.kept.width = this.canvas.width;
        this.kept.height = this.canvas.height;
        const inner = this.kept.getContext("2d");
        inner.setTransform(ratio, 0, 0, ratio, 0, 0);
        inner.fillStyle = pacl.colours.soft;
        inner.fillRect(area.x, area.y, area.width, HEIGHT - 4);
        pacl.drawDots(inner, ratio, state.beats, all, area);
        inner.fillStyle = pacl.colours.af;
        for (const one of state.view.episodes) {
          inner.fillRect(x(one.start_s), HEIGHT - BAND - 2, Math.max(x(one.end_s) - x(one.start_s), 1.5), BAND);
        }
        this.stale = false;
      }
      context.drawImage(this.kept, 0, 0, width, HEIGHT);
      const [from, to] = [state.from, state.to].map((at) => Math.min(Math.max(x(at), area.x), area.x + area.width));
      context.fillStyle = pacl.colours.paper;
      context.globalAlpha = 0.6;
      context.fillRect(area.x, 0, from - area.x, HEIGHT);
      context.fillRect(to, 0, area.x + area.width - to, HEIGHT);
      context.globalAlpha = 1;
      context.strokeStyle = pacl.colours.link;
      context.lineWidth = 2;
      context.strokeRect(from, 1, Math.max(to - from, 3), HEIGHT - 2);
    }
  };
})();
