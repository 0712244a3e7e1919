// The filters above the table. They change `filter` and tell so.
(() => {
  const pacl = globalThis.pacl ??= {};
  const { words, element } = pacl;

  pacl.Filters = class {
    constructor(form, filter, changed) {
      this.form = form;
      this.filter = filter;
      this.changed = changed;
      this.chips = new Map();
      form.addEventListener("submit", (event) => event.preventDefault());
      this.text = this.field("Name or patient", { type: "search", autocomplete: "off" },
        (value) => { filter.text = value; });
      this.outcomes = element("fieldset", { class: "outcomes" }, element("legend", {}, "Verdict"));
      form.append(this.outcomes);
      this.burden = this.field("AF burden from, in %",
        { type: "number", min: 0, max: 100, step: "any", inputmode: "decimal" },
        (value) => { filter.burden = value === "" || Number.isNaN(Number(value)) ? null : value / 100; });
      this.dates = element("div", { class: "dates" });
      form.append(this.dates);
      this.from = this.field("From", { type: "date" }, (value) => { filter.from = value; }, this.dates);
      this.to = this.field("To", { type: "date" }, (value) => { filter.to = value; }, this.dates);
      this.edited = this.check("only with edits", (on) => { filter.edited = on; });
      this.day = element("button", { type: "button", class: "day-chosen", hidden: true });
      this.day.addEventListener("click", () => { filter.day = null; this.changed(); });
      this.clear = element("button", { type: "button", class: "clear", hidden: true }, "Clear filters");
      this.clear.addEventListener("click", () => this.reset());
      form.append(this.day, this.clear);
    }

    field(label, attributes, set, place = this.form) {
      const input = element("input", attributes);
      input.addEventListener("input", () => { set(input.value); this.changed(); });
      place.append(element("label", {}, element("span", {}, label), input));
      return input;
    }

    check(label, set) {
      const input = element("input", { type: "checkbox" });
      input.addEventListener("change", () => { set(input.checked); this.changed(); });
      this.form.append(element("label", { class: "chip" }, input, label));
      return input;
    }

    // Filters that can choose something among these rows, and how many they would show.
    offer(rows) {
      const counts = new Map();
      for (const row of rows) {
        counts.set(pacl.outcome(row), (counts.get(pacl.outcome(row)) ?? 0) + 1);
      }
      for (const outcome of pacl.OUTCOMES) {
        if (counts.has(outcome) && !this.chips.has(outcome)) this.addChip(outcome);
        const chip = this.chips.get(outcome);
        if (!chip) continue;
        chip.count.textContent = (counts.get(outcome) ?? 0).toLocaleString("en");
        chip.label.hidden = !counts.has(outcome) && !this.filter.outcomes.has(outcome);
      }
      const dated = rows.some((row) => row.days.some((day) => day.date !== null));
      this.dates.hidden = !dated;
      this.edited.parentElement.hidden = !rows.some((row) => row.edits > 0) && !this.filter.edited;
    }

    addChip(outcome) {
      const input = element("input", { type: "checkbox" });
      const count = element("span", { class: "count" });
      const label = element("label", { class: `chip ${pacl.slug(outcome)}` }, input, `${outcome} `, count);
      input.addEventListener("change", () => {
        if (input.checked) this.filter.outcomes.add(outcome);
        else this.filter.outcomes.delete(outcome);
        this.changed();
      });
      this.chips.set(outcome, { label, input, count });
      const order = pacl.OUTCOMES.filter((one) => this.chips.has(one));
      this.outcomes.append(...order.map((one) => this.chips.get(one).label));
    }

    // After a change: the chosen day as a button that takes it back, and one for all.
    update() {
      const { filter } = this;
      this.day.hidden = filter.day === null;
      if (filter.day !== null) {
        this.day.textContent = `${words.day(filter.day)} ✕`;
        this.day.setAttribute("aria-label", `Show all days, not only ${words.day(filter.day)}`);
      }
      this.clear.hidden = !(filter.text || filter.outcomes.size || filter.burden !== null
        || filter.edited || filter.from || filter.to || filter.day !== null || filter.person !== null);
    }

    reset() {
      this.form.reset();
      this.filter.outcomes.clear();
      Object.assign(this.filter, { ...pacl.noFilter(), outcomes: this.filter.outcomes });
      this.changed();
      this.text.focus();
    }
  };
})();
