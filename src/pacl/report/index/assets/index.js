// The index of a folder. Its rows are written into the page, or come from a server one by one.
(() => {
  const pacl = globalThis.pacl ??= {};
  const { words, element } = pacl;
  const SOON_MS = 1000;
  const LATER_MS = 5000;
  const at = (id) => document.getElementById(id);

  const rows = new Map();
  let ordered = [];
  const filter = pacl.noFilter();
  const table = new pacl.Table(at("table"), at("more"), () => showTable());
  const filters = new pacl.Filters(at("filters"), filter, () => changed());
  const trend = new pacl.Trend(at("trend"));
  const calendar = new pacl.Calendar(at("calendar"), (day) => {
    filter.day = day;
    changed();
    if (day) at("shown").scrollIntoView({ block: "nearest" });
  });
  let person = null;

  at("person").addEventListener("change", (event) => {
    const { value } = event.target.selectedOptions[0].dataset;
    filter.person = value ?? null;
    filter.day = null;
    changed();
  });

  // After rows came in: what can be chosen may have changed too.
  function arrived() {
    const all = ordered = pacl.byName(rows.values());
    const persons = [...new Set(all.map((row) => row.patient).filter(Boolean))];
    // The course of one person comes first; of many, the list does.
    document.body.classList.toggle("many", persons.length > 1 || all.some((row) => !row.patient));
    showCounts(all, persons);
    offerPersons(persons);
    filters.offer(all);
    const named = all.every((row) => !row.patient || row.patient === row.name);
    table.hide([...(named ? ["patient"] : []), ...(all.some((row) => row.edits > 0) ? [] : ["edits"])]);
    showOverTime();
    changed();
  }

  function changed() {
    filters.update();
    if (filter.person !== person) {
      person = filter.person;
      const option = [...at("person").options].find((one) => (one.dataset.value ?? null) === person);
      if (option) option.selected = true;
      showOverTime();
    } else if (calendar.day !== filter.day) {
      calendar.show([...calendar.days.values()], filter.day);
    }
    table.limit = Math.min(table.limit, 200);
    showTable();
  }

  function showTable() {
    const chosen = pacl.chosenRows(ordered, filter, table.sort);
    table.show(chosen);
    const text = chosen.length === rows.size
      ? `Showing ${rows.size === 1 ? "the recording" : `all ${words.counted(rows.size, "recording")}`}.`
      : `Showing ${chosen.length.toLocaleString("en")} of ${words.counted(rows.size, "recording")}.`;
    if (at("shown").textContent !== text) at("shown").textContent = text;
  }

  function showOverTime() {
    const chosen = pacl.chosenRows(ordered, { ...pacl.noFilter(), person: filter.person },
      { by: "name", down: false });
    const days = pacl.byDay(chosen);
    const undated = chosen.filter((row) => row.status === "ready" && row.started === null).length;
    at("over-time").hidden = !ordered.some((row) => row.status === "ready");
    at("calendar").hidden = !days.length;
    if (days.length) trend.show(days, true, undated);
    else trend.show(pacl.byRecording(chosen), false, 0);
    calendar.show(days, filter.day);
  }

  function showCounts(all, persons) {
    const failed = all.filter((row) => row.status === "failed").length;
    const parts = [words.counted(all.length, "recording")];
    if (persons.length) parts[0] += ` of ${words.counted(persons.length, "person", "persons")}`;
    parts.push(`${all.filter((row) => row.status === "ready").length.toLocaleString("en")} judged`);
    if (failed) parts.push(`${failed.toLocaleString("en")} failed`);
    at("counts").textContent = parts.join(", ");
  }

  function offerPersons(persons) {
    at("person-choice").hidden = persons.length < 2;
    const known = at("person").options.length - 1;
    if (persons.length === known) return;
    const sorted = persons.sort(new Intl.Collator("en", { numeric: true }).compare);
    at("person").replaceChildren(element("option", {}, `all ${persons.length.toLocaleString("en")}`),
      ...sorted.map((name) => element("option", { "data-value": name, selected: name === filter.person }, name)));
  }

  function showProgress(total, done) {
    const box = at("progress");
    box.hidden = done >= total;
    const bar = box.querySelector("[role=progressbar]");
    bar.setAttribute("aria-valuemax", total);
    bar.setAttribute("aria-valuenow", done);
    bar.firstElementChild.style.width = `${total ? 100 * done / total : 0}%`;
    box.querySelector("p").textContent =
      `${done.toLocaleString("en")} of ${words.counted(total, "recording")} done`;
  }

  function take(some, removed = []) {
    for (const row of some) rows.set(row.key, row);
    for (const key of removed) rows.delete(key);
    if (some.length || removed.length) arrived();
  }

  async function follow(address) {
    let revision = 0;
    let session;
    let total = 1;
    let done = 0;
    for (;;) {
      try {
        const answer = await fetch(`${address}?since=${revision}`, { cache: "no-store" });
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        const found = await answer.json();
        // A server that was started again counts from the beginning: so do we.
        if (found.revision < revision || (session ?? found.session) !== found.session) {
          rows.clear();
          arrived();
          [revision, session] = [0, found.session];
          continue;
        }
        [revision, session] = [found.revision, found.session];
        take(found.rows, found.removed ?? []);
        done = [...rows.values()].filter((row) => row.status !== "waiting").length;
        total = found.total;
        showProgress(total, done);
        at("trouble").hidden = true;
      } catch {
        at("trouble").textContent = "No answer from pacl view. It may have been stopped; trying again.";
        at("trouble").hidden = false;
      }
      await new Promise((go) => { setTimeout(go, done < total ? SOON_MS : LATER_MS); });
    }
  }

  const { address } = document.body.dataset;
  if (address) {
    follow(address);
  } else {
    take(JSON.parse(at("rows").textContent));
    if (!rows.size) arrived();
  }
})();
