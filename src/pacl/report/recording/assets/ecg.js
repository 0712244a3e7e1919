// The ECG of what is in view, in pieces of a minute, with the beats that were found in it.
(() => {
  const pacl = globalThis.pacl ??= {};
  const PIECE_S = 60;
  const LONGEST_S = 120;
  const MISSING = -32768;
  const LEAD = 110;
  const AXIS = 20;
  const KEPT = 40;
  const AGAIN_MS = 5000;
  const SPARSE = 4; // samples in a pixel, up to which each is drawn

  // `piece(n)` gives the n-th minute as Int16Array in microvolts, one lead after the other.
  pacl.EcgChart = class {
    constructor(canvas, state, piece, redraw) {
      Object.assign(this, { canvas, state, piece, redraw, pieces: new Map() });
    }

    get shown() { return this.state.to - this.state.from <= LONGEST_S; }

    minute(number) {
      if (!this.pieces.has(number)) {
        if (this.pieces.size >= KEPT) this.pieces.delete(this.pieces.keys().next().value);
        this.pieces.set(number, null);
        this.piece(number).then((samples) => { this.pieces.set(number, samples); this.redraw(); },
          () => this.failed(number));
      }
      return this.pieces.get(number);
    }

    // A minute that cannot be read is asked for again, but not with every frame.
    failed(number) {
      this.pieces.set(number, false);
      this.redraw();
      setTimeout(() => { this.pieces.delete(number); this.redraw(); }, AGAIN_MS);
    }

    draw() {
      const { state } = this;
      const { leads, fs_hz: fs } = state.view.ecg;
      const { context, width } = pacl.fitted(this.canvas, leads.length * LEAD + AXIS);
      const area = { x: pacl.LEFT, width: width - pacl.LEFT - pacl.RIGHT };
      const perSecond = area.width / (state.to - state.from);
      const x = (at) => area.x + (at - state.from) * perSecond;
      const bottom = leads.length * LEAD;
      context.font = "11px system-ui, sans-serif";
      context.textBaseline = "middle";
      context.textAlign = "center";
      for (const { at, label } of state.clock.ticks(state.from, state.to, Math.max(Math.floor(area.width / 78), 2))) {
        context.fillStyle = pacl.colours.grid;
        context.fillRect(x(at), 0, 1, bottom);
        context.fillStyle = pacl.colours.quiet;
        context.fillText(label, x(at), bottom + 10);
      }
      const first = Math.floor(Math.max(state.from, 0) / PIECE_S);
      const last = Math.floor(Math.max(state.to, 0) / PIECE_S);
      const minutes = [];
      for (let n = first; n <= last; n += 1) minutes.push([n, this.minute(n)]);
      let isThere = false;
      leads.forEach((name, lead) => {
        const box = { y: lead * LEAD + 4, height: LEAD - 8 };
        context.fillStyle = pacl.colours.quiet;
        context.textAlign = "right";
        context.fillText(name, pacl.LEFT - 6, box.y + box.height / 2);
        if (this.drawLead(context, minutes, lead, fs, x, area, box)) isThere = true;
      });
      this.drawBeats(context, x, bottom);
      if (minutes.some(([, samples]) => !samples)) {
        context.textAlign = "left";
        context.fillStyle = pacl.colours.quiet;
        context.fillText(minutes.some(([, samples]) => samples === false) ? "The ECG could not be read." : "Reading the ECG…", area.x + 6, 12);
      } else if (!isThere) {
        context.textAlign = "left";
        context.fillStyle = pacl.colours.quiet;
        context.fillText("There is no ECG of this time.", area.x + 6, 20);
      }
    }

    // Whether there was anything to draw.
    drawLead(context, minutes, lead, fs, x, area, box) {
      const { state } = this;
      const columns = Math.ceil(area.width);
      const low = new Float32Array(columns).fill(Infinity);
      const high = new Float32Array(columns).fill(-Infinity);
      let least = Infinity;
      let most = -Infinity;
      const sparse = fs * (state.to - state.from) < SPARSE * columns;
      const ends = new Float32Array(columns);
      const points = [];
      for (const [minute, samples] of minutes) {
        if (!samples) continue;
        const count = samples.length / state.view.ecg.leads.length;
        const begin = Math.max(0, Math.floor((state.from - minute * PIECE_S) * fs) - 1);
        const end = Math.min(count, Math.ceil((state.to - minute * PIECE_S) * fs) + 1);
        for (let j = begin; j < end; j += 1) {
          const value = samples[lead * count + j];
          const at = x(minute * PIECE_S + j / fs);
          if (value === MISSING) { points.push(null); continue; }
          if (value < least) least = value;
          if (value > most) most = value;
          if (sparse) { points.push([at, value]); continue; }
          const column = Math.floor(at - area.x);
          if (column < 0 || column >= columns) continue;
          if (value < low[column]) low[column] = value;
          if (value > high[column]) high[column] = value;
          ends[column] = value;
        }
      }
      if (least > most) return false;
      const span = Math.max(most - least, 200);
      const y = (value) => box.y + box.height * (1 - (value - least) / span);
      context.save();
      context.beginPath();
      context.rect(area.x, box.y - 2, area.width, box.height + 4);
      context.clip();
      context.beginPath();
      if (sparse) {
        let open = false;
        for (const point of points) {
          if (point === null) { open = false; continue; }
          if (open) context.lineTo(point[0], y(point[1]));
          else context.moveTo(point[0], y(point[1]));
          open = true;
        }
      } else {
        for (let column = 0; column < columns; column += 1) {
          if (low[column] > high[column]) continue;
          // Each column begins where the one before it ended, so that a steep wave is one line.
          const joined = column > 0 && low[column - 1] <= high[column - 1];
          const from = joined ? Math.min(low[column], ends[column - 1]) : low[column];
          const to = joined ? Math.max(high[column], ends[column - 1]) : high[column];
          context.moveTo(area.x + column + 0.5, y(from) + 0.5);
          context.lineTo(area.x + column + 0.5, y(to) - 0.5);
        }
      }
      context.strokeStyle = pacl.colours.ink;
      context.lineWidth = 1;
      context.stroke();
      context.restore();
      context.fillStyle = pacl.colours.quiet;
      context.textAlign = "right";
      context.fillText(`${(span / 1000).toFixed(1)} mV`, pacl.LEFT - 6, box.y + box.height - 6);
      return true;
    }

    // A beat is where an interval begins; its colour is the decision.
    drawBeats(context, x, bottom) {
      const { beats } = this.state;
      const names = ["unknown", "not-af", "af"];
      const low = beats.first(this.state.from);
      const high = beats.first(this.state.to);
      for (let i = low; i < high; i += 1) {
        const at = x(beats.onset[i]);
        context.fillStyle = pacl.colours[names[beats.decision[i]]];
        context.beginPath();
        context.moveTo(at - 4, 0);
        context.lineTo(at + 4, 0);
        context.lineTo(at, 6);
        context.fill();
        context.globalAlpha = 0.25;
        context.fillRect(at - 0.5, 0, 1, bottom);
        context.globalAlpha = 1;
      }
    }
  };
})();
