// Tables marked with data-sortable get a button in each named column head. A press sorts the rows
// upwards, the next one downwards, the third shows them as they were written.
//
// pacl.makeSortable(table) does it for one table. Call it again after rows were added or taken
// away: the order that the reader chose is kept.
(() => {
  const pacl = globalThis.pacl ??= {};
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  // A number at the start: 1,234 or −0.5 ± 0.1 or < 0.1 % or 0.98 (0.97 to 0.99).
  const NUMBER = /^([<>]?)\s*([+\-−]?)((?:\d[\d,]*)?\.?\d+)(?=$|\s*[%±([]|\s+to\s)/;
  const MISSING = /^[-–—]?$/;
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  const rowsAsWritten = new WeakMap();

  pacl.makeSortable = (table) => {
    if (!table.tHead || !table.tBodies.length) return;
    for (const body of table.tBodies) remember(body, columnsOf(table).length);
    for (const head of columnsOf(table)) {
      if (head.tagName === "TH" && !head.querySelector("button.sort")) addButton(table, head);
    }
    const sorted = columnsOf(table).find((head) => head.hasAttribute("aria-sort"));
    if (sorted) show(table, sorted, sorted.getAttribute("aria-sort"));
  };

  const columnsOf = (table) => [...table.tHead.rows[table.tHead.rows.length - 1].cells];

  // Rows are sorted only among those of their own part. A part starts at a line, or at a row
  // with fewer cells, which is the title of its part and stays on top of it.
  function remember(body, columns) {
    let part = 0;
    [...body.rows].forEach((row, place) => {
      const known = rowsAsWritten.get(row);
      const title = row.cells.length < columns;
      const ruled = known ? known.ruled : row.classList.contains("rule");
      if (known) part = known.part;
      else if (ruled || title) part += 1;
      if (!known) rowsAsWritten.set(row, { place, part, title, ruled });
    });
  }

  function addButton(table, head) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    // The sign of a note stays beside the button: it is no part of the column's name.
    button.append(...[...head.childNodes].filter((node) => node.nodeName !== "SUP"));
    button.addEventListener("click", () => {
      const order = NEXT[head.getAttribute("aria-sort") ?? "none"];
      for (const other of columnsOf(table)) other.removeAttribute("aria-sort");
      if (order !== "none") head.setAttribute("aria-sort", order);
      show(table, head, order);
    });
    head.prepend(button);
  }

  function show(table, head, order) {
    for (const body of table.tBodies) {
      const rows = [...body.rows].sort((a, b) => written(a).place - written(b).place);
      const compare = order === "none" ? () => 0 : comparison(rows, head.cellIndex, order);
      rows.sort((a, b) => written(a).part - written(b).part
        || written(b).title - written(a).title || compare(a, b));
      const lines = new Set(rows.filter((row) => written(row).ruled).map((row) => written(row).part));
      rows.forEach((row, at) => {
        const first = at === 0 || written(rows[at - 1]).part !== written(row).part;
        row.classList.toggle("rule", first && lines.has(written(row).part));
      });
      body.append(...rows);
    }
  }

  const written = (row) => rowsAsWritten.get(row);

  // By value if all cells of the column are numbers, else by words. What is missing comes last,
  // upwards and downwards.
  function comparison(rows, column, order) {
    const cells = new Map(rows.map((row) => [row, row.cells[column]]));
    const texts = new Map(rows.map((row) => [row, textOf(cells.get(row))]));
    const filled = rows.filter((row) => !written(row).title && !MISSING.test(texts.get(row)));
    const numbers = new Map(filled.map((row) => [row, numberOf(cells.get(row), texts.get(row))]));
    const byValue = [...numbers.values()].every((number) => number !== null);
    const present = new Set(filled);
    const way = order === "ascending" ? 1 : -1;
    return (a, b) => {
      if (!present.has(a) || !present.has(b)) return present.has(b) - present.has(a);
      return way * (byValue ? Math.sign(numbers.get(a) - numbers.get(b)) || 0
        : words.compare(texts.get(a), texts.get(b)));
    };
  }

  function textOf(cell) {
    if (!cell || cell.dataset.value === "") return "";
    const own = [...cell.childNodes].filter((node) => node.nodeName !== "SUP");
    return own.map((node) => node.textContent).join("").trim();
  }

  function numberOf(cell, text) {
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const found = NUMBER.exec(text);
    if (!found) return null;
    const [, bound, sign, digits] = found;
    const size = Number(digits.replaceAll(",", ""));
    const nudge = { "<": -1e-9, ">": 1e-9, "": 0 }[bound];
    return (sign === "-" || sign === "−" ? -size : size) + nudge;
  }

  const all = () => document.querySelectorAll("table[data-sortable]").forEach(pacl.makeSortable);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", all);
  else all();
})();
