// Which recordings are shown, and in which order. Nothing here touches the page.
(() => {
  const pacl = globalThis.pacl ??= {};
  const VERDICTS = ["AF", "AF or flutter", "possible AF", "no AF", "cannot tell"];
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  // What a reader may choose by: the verdict, or that there is none.
  pacl.outcome = (row) => (row.status === "ready" ? row.verdict : row.status);
  pacl.OUTCOMES = [...VERDICTS, "failed", "waiting"];

  pacl.notJudged = (row) =>
    (row.judged_share === null || row.judged_share === undefined ? null : 1 - row.judged_share);

  // Value of each column to sort by; null comes last, upwards and downwards.
  pacl.SORTED_BY = {
    patient: (row) => row.patient || null,
    started: (row) => (row.started === null ? null : Date.parse(`${row.started}Z`)),
    duration: (row) => row.recorded_s,
    verdict: (row) => {
      const at = VERDICTS.indexOf(row.verdict);
      return row.status === "ready" && at >= 0 ? at : null;
    },
    burden: (row) => row.af_burden,
    episodes: (row) => row.episodes,
    longest: (row) => row.longest_s,
    notJudged: pacl.notJudged,
    edits: (row) => (row.status === "ready" ? row.edits : null),
  };

  pacl.noFilter = () => ({
    text: "", outcomes: new Set(), burden: null, edited: false, from: "", to: "", person: null,
    day: null,
  });

  // A test for one row; what is not asked for lets all pass.
  function passes(filter) {
    const text = filter.text.trim().toLowerCase();
    const between = (date) =>
      date !== null && (!filter.from || date >= filter.from) && (!filter.to || date <= filter.to);
    const tests = [
      filter.person !== null && ((row) => row.patient === filter.person),
      text && ((row) =>
        row.name.toLowerCase().includes(text) || row.patient.toLowerCase().includes(text)),
      filter.outcomes.size && ((row) => filter.outcomes.has(pacl.outcome(row))),
      filter.burden !== null && ((row) => row.af_burden !== null && row.af_burden >= filter.burden),
      filter.edited && ((row) => row.edits > 0),
      (filter.from || filter.to) && ((row) => row.days.some((day) => between(day.date))),
      filter.day !== null && ((row) => row.days.some((day) => day.date === filter.day)),
    ].filter(Boolean);
    return (row) => tests.every((test) => test(row));
  }

  pacl.byName = (rows) => [...rows].sort((a, b) => collator.compare(a.name, b.name));

  const compared = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a - b);

  // `rows` are in the order of their names, which decides where values are equal.
  pacl.chosenRows = (rows, filter, sort) => {
    const chosen = rows.filter(passes(filter));
    if (sort.by === "name") return sort.down ? chosen.reverse() : chosen;
    const value = pacl.SORTED_BY[sort.by];
    const way = sort.down ? -1 : 1;
    const keyed = chosen.map((row) => [value(row), row]);
    keyed.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return way * compared(a, b);
    });
    return keyed.map(([, row]) => row);
  };
})();
