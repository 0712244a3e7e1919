// Pan, zoom and select by mouse, wheel, pen and touch.
(() => {
  const pacl = globalThis.pacl ??= {};

  // `chart` has: layout() with areas and seconds(x), state, show(from, to), select(from, to),
  // clicked(seconds, y), hover(seconds or null), selecting() for the mode in which a drag selects.
  pacl.gestures = (canvas, chart) => {
    const pointers = new Map();
    let start = null;
    let moved = false;
    const x = (event) => event.clientX - canvas.getBoundingClientRect().left;

    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { state } = chart;
      const across = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (across || event.shiftKey) {
        const by = (across ? event.deltaX : event.deltaY) / 800 * (state.to - state.from);
        chart.show(state.from + by, state.to + by);
        return;
      }
      const lines = event.deltaMode === 1 ? 16 : 1;
      zoomAt(chart.layout().seconds(x(event)), Math.exp(Math.max(-400, Math.min(400, event.deltaY * lines)) / 400));
    }, { passive: false });

    const zoomAt = (at, factor) => {
      const { state } = chart;
      chart.show(at - (at - state.from) * factor, at + (state.to - at) * factor);
    };

    const begin = () => {
      const [one, other] = [...pointers.values()];
      start = { from: chart.state.from, to: chart.state.to, one, other,
        at: chart.layout().seconds(one), select: !other && start === null && chart.selecting() };
    };

    canvas.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({ preventScroll: true });
      if (!pointers.size) { start = null; moved = false; }
      pointers.set(event.pointerId, x(event));
      begin();
      if (event.shiftKey) start.select = true;
    });

    canvas.addEventListener("pointermove", (event) => {
      if (!pointers.has(event.pointerId)) { chart.hover(chart.layout().seconds(x(event)), event); return; }
      pointers.set(event.pointerId, x(event));
      const [one, other] = [...pointers.values()];
      if (Math.abs(one - start.one) > 3 || other !== undefined) moved = true;
      if (!moved) return;
      const { area } = chart.layout();
      const perPixel = (start.to - start.from) / area.width;
      if (start.select) {
        chart.select(start.at, chart.layout().seconds(one));
      } else if (other === undefined) {
        chart.show(start.from - (one - start.one) * perPixel, start.to - (one - start.one) * perPixel);
      } else {
        const width = Math.max(Math.abs(one - other), 20);
        const factor = Math.max(Math.abs(start.one - start.other), 20) / width;
        const middle = start.from + ((start.one + start.other) / 2 - area.x) * perPixel;
        const from = middle - ((one + other) / 2 - area.x) * perPixel * factor;
        chart.show(from, from + (start.to - start.from) * factor);
      }
    });

    const ended = (event) => {
      if (!pointers.delete(event.pointerId)) return;
      if (pointers.size) { begin(); return; }
      if (!moved && event.type === "pointerup") {
        chart.clicked(chart.layout().seconds(x(event)), event.clientY - canvas.getBoundingClientRect().top);
      }
      start = null;
    };
    canvas.addEventListener("pointerup", ended);
    canvas.addEventListener("pointercancel", ended);
    // A finger that is lifted leaves, too; the cursor line stays where it was set.
    canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") chart.hover(null); });
    canvas.addEventListener("dblclick", (event) => zoomAt(chart.layout().seconds(x(event)), 0.33));
  };
})();
