// The table of recordings. Rows are drawn 200 at a time, and each only once until it changes.
(() => {
  const pacl = globalThis.pacl ??= {};
  const { words, element } = pacl;
  const AT_ONCE = 200;

  // Only addresses below this page: a name must not lead anywhere else.
  const isRelative = (address) => Boolean(address) && !/^([a-z][a-z0-9+.-]*:|[/\\])/i.test(address.trim());

  const COLUMNS = [
    { key: "name", head: "Recording", draw: drawName },
    { key: "patient", head: "Patient", draw: (row) => [row.patient] },
    { key: "started", head: "Start", draw: (row) => [words.moment(row.started)] },
    { key: "duration", head: "Duration", number: true, draw: (row) => [words.duration(row.recorded_s)] },
    { key: "verdict", head: "Verdict", draw: drawVerdict },
    { key: "burden", head: "AF burden", number: true, draw: drawBurden },
    { key: "episodes", head: "Episodes", number: true, draw: (row) => [row.episodes.toLocaleString("en")] },
    { key: "longest", head: "Longest", number: true, draw: (row) => [words.duration(row.longest_s)] },
    { key: "notJudged", head: "Not judged", number: true, draw: (row) => [words.percent(pacl.notJudged(row))] },
    { key: "edits", head: "Edits", number: true, draw: (row) => [row.edits ? String(row.edits) : words.DASH] },
  ];

  function drawName(row) {
    const name = isRelative(row.page) ? element("a", { href: row.page }, row.name) : row.name;
    return row.has_ecg ? [name, " ", element("span", { class: "tag" }, "ECG")] : [name];
  }

  function drawVerdict(row) {
    const sign = element("span", { class: `outcome ${pacl.slug(row.verdict)}` }, row.verdict);
    const notes = [row.reason, ...row.notes].filter(Boolean);
    if (!notes.length) return [sign];
    const why = element("details", { class: "why" }, element("summary", {}, row.reason ? "why" : "note"));
    why.append(...notes.map((text) => element("p", {}, text)));
    return [sign, " ", why];
  }

  function drawBurden(row) {
    const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
    bar.firstChild.style.width = `${100 * (row.af_burden ?? 0)}%`;
    return [element("span", { class: "amount" }, words.percent(row.af_burden)), bar];
  }

  pacl.slug = (text) => text.toLowerCase().replace(/[^a-z]+/g, "-");

  pacl.Table = class {
    constructor(table, more, sorted) {
      this.head = table.tHead.rows[0];
      this.body = table.tBodies[0];
      this.table = table;
      this.more = more;
      this.sort = { by: "name", down: false };
      this.rows = [];
      this.drawn = new Map();
      this.limit = AT_ONCE;
      this.hidden = new Set();
      this.sorted = sorted;
      for (const column of COLUMNS) this.head.append(this.headOf(column));
      more.addEventListener("click", () => this.showMore());
      addEventListener("beforeprint", () => this.draw(Infinity));
      addEventListener("afterprint", () => this.draw(this.limit));
    }

    headOf(column) {
      const button = element("button", { type: "button", class: "sort" }, column.head);
      const head = element("th", { scope: "col", class: column.number ? "number" : null }, button);
      head.dataset.column = column.key;
      button.addEventListener("click", () => {
        const same = this.sort.by === column.key;
        // Large numbers first: who sorts by burden looks for the highest.
        this.sort = { by: column.key, down: same ? !this.sort.down : Boolean(column.number) };
        this.limit = AT_ONCE;
        this.sorted();
      });
      return head;
    }

    // A column that would say nothing: patients named like recordings, no edits at all.
    hide(keys) {
      this.hidden = new Set(keys);
      for (const { key } of COLUMNS) this.table.classList.toggle(`no-${key}`, this.hidden.has(key));
    }

    show(rows) {
      this.rows = rows;
      for (const head of this.head.cells) {
        const by = head.dataset.column === this.sort.by;
        if (by) head.setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      }
      this.draw(this.limit);
    }

    showMore() {
      const before = Math.min(this.limit, this.rows.length);
      this.limit += AT_ONCE;
      this.draw(this.limit);
      const next = this.body.rows[before]?.cells[0];
      (next?.querySelector("a") ?? next)?.focus();
    }

    draw(limit) {
      const active = document.activeElement;
      const focused = this.body.contains(active) ? active : null;
      this.body.replaceChildren(...this.rows.slice(0, limit).map((row) => this.rowOf(row)));
      if (focused?.isConnected) focused.focus({ preventScroll: true });
      const left = this.rows.length - limit;
      this.more.hidden = left <= 0;
      this.more.textContent =
        `Show ${words.counted(Math.min(AT_ONCE, left), "more recording")} of ${left.toLocaleString("en")}`;
    }

    rowOf(row) {
      const known = this.drawn.get(row.key);
      if (known && known.row === row) return known.element;
      const found = row.status === "ready" ? ready(row) : notReady(row);
      this.drawn.set(row.key, { row, element: found });
      return found;
    }
  };

  function cellOf(column, row) {
    const first = column.key === "name";
    const attributes = { class: [`col-${column.key}`, column.number ? "number" : ""].join(" ").trim() };
    if (first) Object.assign(attributes, { scope: "row", tabindex: isRelative(row.page) ? null : "-1" });
    else attributes["data-head"] = column.head;
    const found = element(first ? "th" : "td", attributes, ...column.draw(row));
    found.classList.toggle("empty", found.textContent === words.DASH || !found.textContent);
    return found;
  }

  const ready = (row) => element("tr", {}, ...COLUMNS.map((column) => cellOf(column, row)));

  function notReady(row) {
    const found = element("tr", { class: row.status });
    found.append(...COLUMNS.slice(0, 2).map((column) => cellOf(column, row)));
    const text = row.status === "failed" ? row.error || "it cannot be read" : "waiting for its turn";
    const sign = element("span", { class: `outcome ${row.status}` }, row.status);
    const rest = { class: "col-told", colspan: COLUMNS.length - 2 };
    found.append(element("td", rest, sign, " ", element("span", { class: "error" }, text)));
    return found;
  }
})();
