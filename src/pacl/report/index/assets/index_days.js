// AF and judged time of several recordings, day by day, and its mean over seven days.
(() => {
  const pacl = globalThis.pacl ??= {};
  const DAY_MS = 86_400_000;
  const SPAN = 7;

  // Days as numbers, so that they can be added to; no time zone takes part.
  pacl.dayNumber = (date) => Math.round(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
  pacl.dateOf = (number) => new Date(number * DAY_MS).toISOString().slice(0, 10);

  const point = (label, at) => ({ label, at, af_s: 0, judged_s: 0, recordings: 0, burden: null });

  // All days with a date, in order; `at` is the number of the day.
  pacl.byDay = (rows) => {
    const found = new Map();
    for (const row of rows) {
      for (const day of row.days) {
        if (day.date === null) continue;
        if (!found.has(day.date)) found.set(day.date, point(day.date, pacl.dayNumber(day.date)));
        const one = found.get(day.date);
        one.af_s += day.af_s;
        one.judged_s += day.judged_s;
        one.recordings += 1;
      }
    }
    return withBurden([...found.values()].sort((a, b) => a.at - b.at));
  };

  // Recordings one after the other, for those without dates; `at` counts them.
  pacl.byRecording = (rows) => withBurden(rows.filter((row) => row.status === "ready").map(
    (row, at) => ({ ...point(row.name, at), af_s: row.af_s, judged_s: row.judged_s, recordings: 1 }),
  ));

  function withBurden(points) {
    for (const one of points) one.burden = one.judged_s > 0 ? one.af_s / one.judged_s : null;
    return points;
  }

  // At each point, the burden of all judged time in the seven days up to it.
  pacl.meanOverSeven = (points) => {
    let first = 0;
    let af = 0;
    let judged = 0;
    return points.map((one) => {
      af += one.af_s;
      judged += one.judged_s;
      while (points[first].at <= one.at - SPAN) {
        af -= points[first].af_s;
        judged -= points[first].judged_s;
        first += 1;
      }
      const mean = judged > 1e-6 ? Math.min(1, Math.max(0, af / judged)) : null;
      return { at: one.at, mean };
    });
  };
})();
