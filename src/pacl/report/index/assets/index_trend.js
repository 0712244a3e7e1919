// The trend of AF burden: a point for each day, sized by judged time, and the mean of seven days.
(() => {
  const pacl = globalThis.pacl ??= {};
  const { words, element } = pacl;
  const SVG = "http://www.w3.org/2000/svg";
  const LEFT = 46;
  const RIGHT = 14;
  const TOP = 14;
  const BOTTOM = 30;
  const LOW = 240;
  const HIGH = 420;
  const CEILINGS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
  const DAY_S = 86_400;
  const LONGEST_GAP = 7;

  function drawn(name, attributes, ...children) {
    const found = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
    found.append(...children);
    return found;
  }

  pacl.Trend = class {
    constructor(place) {
      this.place = place;
      this.points = [];
      new ResizeObserver(() => {
        if (this.points.length && this.width !== place.clientWidth) this.draw();
      }).observe(place);
    }

    // `dated`: points are days; else they are recordings, one after the other.
    show(points, dated, undated) {
      this.points = points.filter((one) => one.burden !== null);
      this.dated = dated;
      this.undated = undated;
      this.draw();
    }

    draw() {
      const { points, place, dated } = this;
      // Beside the calendar it is as high as four months.
      const next = place.nextElementSibling;
      const beside = !next.hidden && next.offsetTop === place.offsetTop;
      this.height = beside ? HIGH : LOW;
      this.width = place.clientWidth;
      const caption = element("figcaption", {}, element("strong", {}, "Trend. "), this.told());
      if (!points.length) {
        place.replaceChildren(caption);
        return;
      }
      const style = getComputedStyle(place);
      const width = Math.max(240,
        place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
      const first = points[0].at;
      const last = points.at(-1).at;
      const room = width - LEFT - RIGHT;
      const x = (at) => LEFT + (last > first ? room * (at - first) / (last - first) : room / 2);
      const highest = Math.max(...points.map((one) => one.burden));
      const ceiling = CEILINGS.find((one) => one >= highest) ?? 1;
      const { height } = this;
      const y = (burden) => TOP + (height - TOP - BOTTOM) * (1 - burden / ceiling);
      const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
        "aria-label": this.summary() });
      for (const share of [0, 0.5, 1]) {
        const at = y(share * ceiling);
        svg.append(
          drawn("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: at, y2: at }),
          drawn("text", { x: LEFT - 8, y: at + 4, "text-anchor": "end" }, words.percent(share * ceiling)),
        );
      }
      svg.append(...this.ticks(x, room));
      const mean = pacl.meanOverSeven(points);
      if (points.length > 1) svg.append(drawn("path", { class: "mean", d: line(mean, x, y) }));
      const longest = Math.max(...points.map((one) => one.judged_s), dated ? DAY_S : 1);
      for (const one of points) {
        const radius = 2 + 4.5 * Math.sqrt(one.judged_s / longest);
        const label = dated ? words.day(one.label) : one.label;
        const text = `${label}: AF burden ${words.percent(one.burden)}, ${words.duration(one.judged_s)} judged`;
        svg.append(drawn("circle", { cx: x(one.at), cy: y(one.burden), r: radius.toFixed(1) },
          drawn("title", {}, text)));
      }
      place.replaceChildren(caption, svg);
    }

    ticks(x, room) {
      const { points, dated, height } = this;
      const first = points[0].at;
      const last = points.at(-1).at;
      const most = Math.max(1, Math.min(last - first, Math.floor(room / 110)));
      const step = Math.max(1, Math.ceil((last - first) / most));
      const found = [];
      for (let at = first; at <= last; at += step) {
        const text = dated ? pacl.dateOf(at) : String(at + 1);
        const anchor = at === first && last > first ? "start" : x(at) > x(last) - 30 && last > first ? "end" : "middle";
        found.push(
          drawn("line", { class: "tick", x1: x(at), x2: x(at), y1: height - BOTTOM, y2: height - BOTTOM + 5 }),
          drawn("text", { x: x(at), y: height - 9, "text-anchor": anchor }, text),
        );
      }
      return found;
    }

    told() {
      if (!this.points.length) return "No recording has judged time yet.";
      const each = this.dated ? "a day" : "a recording, in the order of their names";
      const over = this.dated ? "seven days" : "seven recordings";
      const left = this.undated
        ? ` ${words.counted(this.undated, "recording")} without a date ${this.undated === 1 ? "is" : "are"} not shown.` : "";
      return `Each point is ${each}, larger with more judged time. The line is the mean of the last ${over}.${left}`;
    }

    summary() {
      const { points, dated } = this;
      const burdens = points.map((one) => one.burden);
      const af = points.reduce((sum, one) => sum + one.af_s, 0);
      const judged = points.reduce((sum, one) => sum + one.judged_s, 0);
      const what = dated
        ? `${words.counted(points.length, "day")} from ${words.day(points[0].label)} to ${words.day(points.at(-1).label)}`
        : words.counted(points.length, "recording");
      return `AF burden of ${what}: between ${words.percent(Math.min(...burdens))} and `
        + `${words.percent(Math.max(...burdens))}, ${words.percent(af / judged)} of all judged time.`;
    }
  };

  // The line stops where nothing was recorded for more than a week.
  function line(mean, x, y) {
    let text = "";
    let before = null;
    for (const { at, mean: value } of mean) {
      if (value === null) continue;
      text += `${before !== null && at - before <= LONGEST_GAP ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      before = at;
    }
    return text;
  }
})();
