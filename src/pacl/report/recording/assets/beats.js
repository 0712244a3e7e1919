// All beats of a recording, unpacked, and which of them to draw.
(() => {
  const pacl = globalThis.pacl ??= {};
  const GAP_MS = 10000;
  const BUCKETS = [16, 32, 64, 128, 256, 512, 1024];
  const PICKS = 8;
  const MOST_DRAWN = 250000;
  const PART = 2048;

  const nothing = () => ({ beats: 0, sum: 0, afTime: 0, judged: 0, fastest: Infinity, slowest: 0 });
  const join = (all, one) => {
    for (const name of ["beats", "sum", "afTime", "judged"]) all[name] += one[name];
    all.fastest = Math.min(all.fastest, one.fastest);
    all.slowest = Math.max(all.slowest, one.slowest);
  };

  pacl.Beats = class {
    // `view` has the plain values of a recording, `buffer` the packed beats (packed_beats.py).
    constructor(view, buffer) {
      const count = view.beats;
      const ticks = new Uint16Array(buffer, 0, count);
      this.count = count;
      this.decision = new Uint8Array(buffer, 2 * count, count);
      this.likely = new Uint8Array(buffer, 3 * count, count);
      const onset = new Float64Array(count);
      const rr = new Float32Array(count);
      const { jumps, tick_ms: tick } = view;
      const perSecond = 1000 / tick;
      let next = 0;
      let at = 0;
      for (let i = 0; i < count; i += 1) {
        if (next < jumps.length && jumps[next][0] === i) {
          at = jumps[next][1];
          next += 1;
        }
        onset[i] = at / perSecond;
        rr[i] = ticks[i] * tick;
        at += ticks[i];
      }
      this.onset = onset;
      this.rr = rr;
      this.levels = new Map();
      this.parts = null;
    }

    // The first beat that begins at a time or after it.
    first(seconds) {
      let low = 0;
      let high = this.count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.onset[middle] < seconds) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    isGap(i) { return this.rr[i] > GAP_MS; }

    // Whether a beat follows the one before it, without a pause between files.
    follows(i) {
      return Math.abs(this.onset[i] - this.onset[i - 1] - this.rr[i - 1] / 1000) < 0.01;
    }

    // Numbers of the beats from `low` to `high` that are to be drawn: none where all of them are.
    // Of very many, the shortest and the longest of each bucket are, and six others evenly spaced.
    picked(low, high) {
      if (high - low <= MOST_DRAWN) return null;
      const size = BUCKETS.find((one) => PICKS * (high - low) / one <= MOST_DRAWN) ?? BUCKETS.at(-1);
      if (!this.levels.has(size)) this.levels.set(size, this.level(size));
      const all = this.levels.get(size);
      return all.subarray(PICKS * Math.floor(low / size), PICKS * Math.ceil(high / size));
    }

    level(size) {
      const { rr, count } = this;
      const buckets = Math.ceil(count / size);
      const found = new Int32Array(PICKS * buckets);
      for (let bucket = 0; bucket < buckets; bucket += 1) {
        const start = bucket * size;
        const stop = Math.min(start + size, count);
        let least = start;
        let most = start;
        for (let i = start + 1; i < stop; i += 1) {
          if (rr[i] < rr[least]) least = i;
          if (rr[i] > rr[most]) most = i;
        }
        const at = PICKS * bucket;
        found[at] = least;
        found[at + 1] = most;
        for (let n = 2; n < PICKS; n += 1) {
          found[at + n] = start + Math.floor((stop - start) * (n - 2) / (PICKS - 2));
        }
      }
      return found;
    }

    // Numbers that describe the beats between two times.
    summary(from, to) {
      const low = this.first(from);
      const high = this.first(to);
      const all = nothing();
      // Whole parts were added up before: millions of beats cost no more than thousands.
      const first = Math.min(Math.ceil(low / PART) * PART, high);
      const last = Math.max(Math.floor(high / PART) * PART, first);
      this.add(all, low, first);
      if (last > first) {
        this.parts ??= this.summed();
        for (let part = first / PART; part < last / PART; part += 1) join(all, this.parts[part]);
      }
      this.add(all, last, high);
      const { beats, sum, afTime, judged, fastest, slowest } = all;
      return { beats, rate: beats ? 60000 * beats / sum : null, fastest, slowest,
        af: judged ? afTime / judged : null };
    }

    summed() {
      return Array.from({ length: Math.floor(this.count / PART) }, (_, part) =>
        this.add(nothing(), part * PART, (part + 1) * PART));
    }

    // Adds the beats from `low` to `high` to what was summed up.
    add(all, low, high) {
      const { rr: intervals, decision } = this;
      let { beats, sum, afTime, judged, fastest, slowest } = all;
      for (let i = low; i < high; i += 1) {
        const rr = intervals[i];
        if (rr < 200 || rr > 2000) continue;
        beats += 1;
        sum += rr;
        if (rr < fastest) fastest = rr;
        if (rr > slowest) slowest = rr;
        if (decision[i] > 0) judged += rr;
        if (decision[i] === 2) afTime += rr;
      }
      return Object.assign(all, { beats, sum, afTime, judged, fastest, slowest });
    }
  };
})();
