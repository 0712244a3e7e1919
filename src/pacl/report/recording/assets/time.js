// Times as text, and round times for an axis. Seconds count from the start of the recording; a
// recording with a clock shows the time of day, which is kept as if it were UTC: no zone changes it.
(() => {
  const pacl = globalThis.pacl ??= {};
  const two = (number) => String(number).padStart(2, "0");
  const STEPS = [0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800,
    21600, 43200, 86400, 172800, 604800, 1209600, 2592000];
  const DAY = 86400;

  pacl.Clock = class {
    constructor(started) {
      this.start = started === null ? null : Date.parse(`${started}Z`) / 1000;
    }

    // Hours, minutes and seconds; with days where `dated`, and parts of a second where needed.
    text(seconds, { digits = 0, dated = false } = {}) {
      const rounded = (value) => Math.floor(value * 10 ** digits + 0.5) / 10 ** digits;
      if (this.start === null) return elapsed(rounded(seconds), digits);
      const at = new Date(Math.round(rounded(this.start + seconds) * 1000));
      const parts = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
      const fine = (at.getUTCSeconds() + at.getUTCMilliseconds() / 1000).toFixed(digits);
      const date = at.toISOString().slice(0, 10);
      return `${dated ? `${date} ` : ""}${parts}:${fine.padStart(digits ? digits + 3 : 2, "0")}`;
    }

    date(seconds) {
      if (this.start === null) return "";
      return new Date((this.start + seconds) * 1000).toISOString().slice(0, 10);
    }

    // Round times between two times: each with its label, and whether a day begins there.
    ticks(from, to, most) {
      const step = STEPS.find((one) => (to - from) / one <= most) ??
        Math.ceil((to - from) / most / DAY) * DAY;
      const shift = this.start === null ? 0 : ((this.start % DAY) + DAY) % DAY;
      const found = [];
      for (let n = Math.ceil((from + shift) / step - 1e-9); n * step - shift <= to; n += 1) {
        const at = n * step - shift;
        found.push({ at, label: this.label(at, step) });
      }
      return found;
    }

    label(at, step) {
      const digits = step < 1 ? 1 : 0;
      if (this.start === null) {
        const text = elapsed(at, digits);
        return step >= 60 ? `${text.slice(0, -3)} h` : text;
      }
      const when = new Date((this.start + at + 1e-4) * 1000);
      const isDay = when.getUTCHours() + when.getUTCMinutes() + when.getUTCSeconds() === 0;
      if (isDay) return when.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
      const text = this.text(at, { digits });
      return step >= 60 ? text.slice(0, 5) : text;
    }
  };

  const elapsed = (seconds, digits) => {
    const sign = seconds < 0 ? "-" : "";
    const all = Math.abs(seconds);
    const rest = (all % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
    return `${sign}${Math.floor(all / 3600)}:${two(Math.floor(all / 60) % 60)}:${rest}`;
  };

  // A length of time in two units at most.
  pacl.duration = (seconds) => {
    const rounded = Math.round(seconds);
    if (seconds < 10) return `${seconds.toFixed(1)} s`;
    if (rounded < 60) return `${rounded} s`;
    if (rounded < 3600) return `${Math.floor(rounded / 60)} min ${two(rounded % 60)} s`;
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  };

  // Only exactly nothing is 0 %, only exactly all is 100 %.
  pacl.percent = (part) => {
    if (part === null || part === undefined) return "–";
    if (part > 0 && part < 0.001) return "< 0.1 %";
    if (part > 0.999 && part < 1) return "> 99.9 %";
    const digits = part === 0 || part === 1 || (part >= 0.0995 && part < 0.9895) ? 0 : 1;
    return `${(100 * part).toFixed(digits)} %`;
  };

  pacl.counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
})();
