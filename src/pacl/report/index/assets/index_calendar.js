// The calendar: each month a table of weeks, each day with recordings a button coloured by burden.
(() => {
  const pacl = globalThis.pacl ??= {};
  const { words, element } = pacl;
  const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
  const MONTHS_AT_ONCE = 4;
  const LEGEND = [0, 0.01, 0.06, 0.25, 1];
  // Monday is 0; day 0 was a Thursday.
  const weekday = (number) => (number + 3) % 7;

  // Small burdens differ most: colours follow the square root.
  const strength = (burden) => (burden ? 14 + 56 * Math.sqrt(burden) : 0);
  const colour = (cell, burden) => cell.style.setProperty("--strength", `${strength(burden).toFixed(1)}%`);

  function shortPercent(burden) {
    if (burden === null) return words.DASH;
    if (burden > 0 && burden < 0.005) return "<1";
    if (burden < 1 && burden >= 0.995) return ">99";
    return String(Math.round(100 * burden));
  }

  pacl.Calendar = class {
    constructor(place, chosen) {
      this.place = place;
      this.chosen = chosen;
      this.all = false;
      this.buttons = new Map();
      place.addEventListener("keydown", (event) => this.move(event));
    }

    show(days, day) {
      this.days = new Map(days.map((one) => [one.label, one]));
      this.day = day;
      const focused = this.place.contains(document.activeElement)
        ? document.activeElement.dataset.date : undefined;
      this.buttons.clear();
      const months = [...new Set(days.map((one) => one.label.slice(0, 7)))].reverse();
      const shown = this.all ? months : months.slice(0, MONTHS_AT_ONCE);
      if (day && !shown.includes(day.slice(0, 7)) && months.includes(day.slice(0, 7))) {
        shown.push(day.slice(0, 7));
      }
      const grid = element("div", { class: "months" }, ...shown.map((month) => this.month(month)));
      this.place.replaceChildren(
        element("h3", {}, "By day"), legend(), grid, ...this.rest(months.length - shown.length),
      );
      const first = this.buttons.get(focused) ?? this.buttons.get(day) ?? this.buttons.values().next().value;
      if (first) first.tabIndex = 0;
      if (focused) this.buttons.get(focused)?.focus();
    }

    rest(left) {
      if (left <= 0) return [];
      const more = element("button", { type: "button", class: "earlier" },
        `Show ${words.counted(left, "earlier month")}`);
      more.addEventListener("click", () => { this.all = true; this.show([...this.days.values()], this.day); });
      return [more];
    }

    month(month) {
      const first = pacl.dayNumber(`${month}-01`);
      let last = first;
      while (pacl.dateOf(last + 1).startsWith(month)) last += 1;
      const body = element("tbody");
      for (let monday = first - weekday(first); monday <= last; monday += 7) {
        const week = element("tr");
        for (let at = monday; at < monday + 7; at += 1) {
          week.append(at < first || at > last ? element("td") : this.cell(pacl.dateOf(at)));
        }
        body.append(week);
      }
      const heads = WEEKDAYS.map((name) => element("th", { scope: "col", abbr: name }, name.slice(0, 2)));
      return element("table", { class: "month" }, element("caption", {}, words.month(month)),
        element("thead", {}, element("tr", {}, ...heads)), body);
    }

    cell(date) {
      const day = this.days.get(date);
      const number = element("span", { class: "date" }, String(Number(date.slice(8))));
      if (!day) return element("td", {}, number);
      const told = day.burden === null ? "nothing could be judged"
        : `AF burden ${words.percent(day.burden)}, ${words.duration(day.judged_s)} judged`;
      const text = `${words.day(date)}: ${told}, ${words.counted(day.recordings, "recording")}`;
      const button = element("button", {
        type: "button", class: "day", title: text, "aria-label": text,
        "aria-pressed": String(date === this.day), tabindex: "-1", "data-date": date,
      }, number, element("span", { class: "burden" }, shortPercent(day.burden)));
      colour(button, day.burden);
      button.addEventListener("click", () => this.chosen(date === this.day ? null : date));
      this.buttons.set(date, button);
      return element("td", {}, button);
    }

    // Arrows go to the next day with recordings, up and down by weeks; Tab leaves the calendar.
    move(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
      const from = event.target.dataset.date;
      if (!step || !from) return;
      event.preventDefault();
      const wanted = pacl.dayNumber(from) + step;
      const way = Math.sign(step);
      const found = [...this.buttons.keys()].map((date) => [pacl.dayNumber(date), date])
        .filter(([at]) => way * (at - wanted) >= 0)
        .sort(([a], [b]) => way * (a - b))[0];
      if (!found) return;
      event.target.tabIndex = -1;
      const next = this.buttons.get(found[1]);
      next.tabIndex = 0;
      next.focus();
    }
  };

  function legend() {
    const cells = LEGEND.map((burden) => {
      const cell = element("span", { class: "swatch" }, String(Math.round(100 * burden)));
      colour(cell, burden);
      return cell;
    });
    return element("p", { class: "legend" }, "AF burden in %: ", ...cells);
  }
})();
