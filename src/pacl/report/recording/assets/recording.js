// One recording: state, chart, lists and keys, put together.
(() => {
  const pacl = globalThis.pacl ??= {};
  const LEAST_S = 2;
  const AROUND = 0.35;
  const element = (id) => document.getElementById(id);

  const start = async () => {
    document.body.dataset.scripted = "yes";
    pacl.readColours();
    const source = pacl.source();
    const state = { view: source.view, clock: new pacl.Clock(source.view.started), beats: null,
      from: 0, to: 1, episode: null, last: null, selection: null, cursor: null, marks: [], brush: null,
      brushed: undefined, selecting: false };
    const longest = source.view.blocks.reduce((one, other) => (other[1] - other[0] > one[1] - one[0] ? other : one));
    [state.from, state.to] = source.view.blocks.length === 1 ? [source.view.from_s, source.view.to_s] : longest;
    state.to = Math.max(state.to, state.from + LEAST_S);
    state.dated = source.view.to_s - source.view.from_s > 86400;
    showResult(state);
    try {
      state.beats = new pacl.Beats(state.view, await source.beats());
    } catch (error) {
      element("alert").textContent = `The beats could not be read: ${error.message}`;
      return;
    }
    run(source, state);
  };

  // The numbers on top, and what there is to know.
  const showResult = (state) => {
    const { view } = state;
    const longest = Math.max(0, ...view.episodes.map((one) => one.end_s - one.start_s));
    const facts = [
      ["Verdict", view.verdict, "Not a medical device"],
      ["AF burden", pacl.percent(view.af_burden), view.af_burden === null ? "" : `${pacl.duration(view.af_burden * view.judged_s)} of the judged time`],
      ["Episodes of AF", view.af_burden === null ? "–" : view.episodes.length.toLocaleString("en"), longest ? `the longest ${pacl.duration(longest)}` : ""],
      ["Duration", pacl.duration(view.recorded_s), pacl.counted(view.beats, "interval")],
      ["Not judged", pacl.percent(1 - view.judged_share), "of the duration"],
    ];
    element("result").replaceChildren(...facts.map(([name, value, note]) => pacl.make("div", {},
      pacl.make("dt", { textContent: name }), pacl.make("dd", { className: "value", textContent: value }),
      pacl.make("dd", { className: "compare", textContent: note }))));
    element("reason").textContent = view.reason ? `${view.verdict}: ${view.reason}.` : "";
    const notices = [...changes(view), ...view.notices,
      ...(view.agreement ? [view.agreement] : [])];
    element("notices").replaceChildren(...notices.map((text) => pacl.make("p", { textContent: text })));
  };

  // What marks and a profile changed.
  const changes = (view) => {
    const found = [];
    if (view.without_edits) {
      const { verdict, af_burden: burden } = view.without_edits;
      found.push(`With marks by hand. Without them: ${verdict}, AF burden ${pacl.percent(burden)}.`);
    }
    if (view.person) {
      const { verdict, af_burden: burden } = view.person.without_profile;
      found.push(view.person.applied
        ? `The profile of this person is used. Without it: ${verdict}, AF burden ${pacl.percent(burden)}.`
        : `The profile of this person is not used: ${view.person.why_not}.`);
    }
    return found;
  };

  const run = (source, state) => {
    const chart = element("tachogram");
    let layout = null;
    let inPoincare = null;
    let inHistogram = null;
    const overview = new pacl.Overview(element("overview"), state, (from, to) => show(from, to));
    const ecg = state.view.ecg
      ? new pacl.EcgChart(element("ecg"), state, source.piece, () => draw()) : null;
    const marks = source.live ? new pacl.Marks(state, changed) : null;
    const mark = marks ? (kind, span) => say(kind, span) : null;
    const list = new pacl.EpisodeList(element("episodes"), state, { jump, mark });

    const drawNow = () => {
      layout = pacl.drawTachogram(chart, state);
      overview.draw();
      inPoincare = pacl.drawPoincare(element("poincare"), state);
      inHistogram = pacl.drawHistogram(element("histogram"), state);
      if (ecg) {
        element("ecg-far").hidden = ecg.shown;
        element("ecg").hidden = !ecg.shown;
        if (ecg.shown) ecg.draw();
      }
      tell();
    };
    const draw = pacl.perFrame(drawNow);

    // Shows a stretch: within the recording, and not shorter than a few beats.
    function show(from, to) {
      const { from_s: first, to_s: last } = state.view;
      const all = Math.max(last - first, LEAST_S);
      const length = Math.min(Math.max(to - from, LEAST_S), all * 1.02);
      const middle = (from + to) / 2;
      state.from = Math.min(Math.max(middle - length / 2, first - 0.01 * all), last + 0.01 * all - length);
      state.to = state.from + length;
      draw();
    }

    // The cursor line where it is in view, else the middle.
    function middle() {
      const { from, to, cursor } = state;
      return cursor !== null && cursor >= from && cursor <= to ? cursor : (from + to) / 2;
    }

    function zoom(factor) {
      const at = middle();
      show(at - (at - state.from) * factor, at + (state.to - at) * factor);
    }

    function pan(share) {
      const by = share * (state.to - state.from);
      show(state.from + by, state.to + by);
    }

    function jump(episode) {
      const around = Math.max(AROUND * (episode.end_s - episode.start_s), 15);
      state.episode = episode;
      state.last = episode.start_s;
      select(episode.start_s, episode.end_s);
      show(episode.start_s - around, episode.end_s + around);
      list.point();
    }

    function step(by) {
      const all = state.view.episodes;
      if (!all.length) return;
      // From the episode that was shown last, as long as it is in view; it may have changed since.
      const seen = state.last !== null && state.last >= state.from && state.last <= state.to;
      const at = seen ? state.last : by > 0 ? state.from : state.to;
      const next = by > 0 ? all.findIndex((one) => one.start_s > at + 0.001)
        : all.findLastIndex((one) => one.start_s < at - 0.001);
      jump(all.at(next < 0 && by > 0 ? 0 : next));
    }

    function select(one, other) {
      const { from_s: first, to_s: last } = state.view;
      const [low, high] = [Math.min(one, other), Math.max(one, other)].map((at) => Math.min(Math.max(at, first), last));
      state.selection = high > low ? { start_s: low, end_s: high } : null;
      showSelection();
      draw();
    }

    function clear() {
      Object.assign(state, { selection: null, episode: null, cursor: null, brush: null, brushed: undefined });
      showSelection();
      list.point();
      draw();
    }

    function showSelection() {
      const { selection, clock, dated } = state;
      element("selection").hidden = !selection;
      if (!selection) return;
      const { beats, rate, af } = state.beats.summary(selection.start_s, selection.end_s);
      element("selection-text").textContent = `${clock.text(selection.start_s, { dated })} to ${clock.text(selection.end_s, { dated })}, ` +
        `${pacl.duration(selection.end_s - selection.start_s)}: ${pacl.counted(beats, "beat")}` +
        (rate ? `, ${rate.toFixed(0)} a minute` : "") + (af === null ? "" : `, AF ${pacl.percent(af)}`);
    }

    // The numbers of what is in view, for the eye at once and for screen readers when it rests.
    let resting = null;
    function tell() {
      const { clock } = state;
      const dated = state.dated || clock.date(state.from) !== clock.date(state.to);
      const digits = state.to - state.from < 20 ? 1 : 0;
      const { beats, rate, fastest, slowest, af } = state.beats.summary(state.from, state.to);
      const [first, last] = [Math.max(state.from, state.view.from_s), Math.min(state.to, state.view.to_s)];
      const text = `${clock.text(first, { digits, dated })} to ${clock.text(last, { digits, dated })}: ` +
        (beats ? `${pacl.counted(beats, "beat")}, ${rate.toFixed(0)} a minute, intervals ${fastest.toFixed(0)} to ${slowest.toFixed(0)} ms` : "no beats") +
        (af === null ? "" : `, AF in ${pacl.percent(af)} of the judged time`) + framed();
      element("numbers").textContent = text;
      clearTimeout(resting);
      const selected = state.selection ? `. Selected: ${element("selection-text").textContent}` : "";
      resting = setTimeout(() => { element("spoken").textContent = text + selected; }, 700);
    }

    // How many of the beats in view lie in the frame that was drawn.
    function framed() {
      if (!state.brushed) return "";
      let count = 0;
      const high = state.beats.first(state.to);
      for (let i = state.beats.first(state.from); i < high; i += 1) if (state.brushed(i)) count += 1;
      return `; ${pacl.counted(count, "beat")} in the frame`;
    }

    // Sends a mark of the selection, or of a given stretch.
    function say(kind, span = state.selection, note = "") {
      if (!marks) return Promise.resolve(false);
      if (!span) {
        element("alert").textContent = "Select a stretch first: press n for an episode, or drag with Shift.";
        return Promise.resolve(false);
      }
      return marks.send({ kind, start_s: span.start_s, end_s: span.end_s, note }).then((done) => {
        if (done && span === state.selection) clear();
        return done;
      });
    }

    async function changed(view) {
      const beats = new pacl.Beats(view, await source.beats());
      Object.assign(state, { view, beats, episode: null });
      state.brushed = pacl.brushOf(beats, state.brush);
      showAll();
      element("outcome").textContent = `Now: ${view.verdict}, AF burden ${pacl.percent(view.af_burden)}, ` +
        `${pacl.counted(view.episodes.length, "episode")}.`;
      const about = element("about");
      if (about) {
        const text = await (await pacl.fetched("about")).text();
        about.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
      }
    }

    function showAll() {
      state.marks = state.view.edits;
      overview.stale = true;
      showResult(state);
      showSelection();
      list.draw();
      marks?.draw();
      draw();
    }

    function brushed(brush) {
      state.brush = brush;
      state.brushed = pacl.brushOf(state.beats, brush);
      draw();
    }

    pacl.gestures(chart, {
      state, show, select,
      layout: () => layout,
      selecting: () => state.selecting,
      hover: (at) => {
        state.cursor = at;
        draw();
        const found = at === null ? [] : [...state.view.not_judged, ...state.view.annotated]
          .filter((one) => one.start_s <= at && at < one.end_s).map((one) => one.why ? `not judged: ${one.why}` : `annotated: ${one.name}`);
        element("here").textContent = at === null ? "" : [state.clock.text(at, { digits: 1, dated: state.dated }), ...found].join(" · ");
      },
      clicked: (at, y) => {
        const row = layout.rows.find((one) => y >= one.y && y <= one.y + one.height);
        const hit = state.view.episodes.find((one) => one.start_s <= at && at <= one.end_s);
        if (row?.name === "AF" && hit) jump(hit);
        else { state.cursor = at; draw(); }
      },
    });
    pacl.brushing(element("poincare"), () => inPoincare, true, brushed);
    pacl.brushing(element("histogram"), () => inHistogram, false, brushed);

    const click = (id, action) => element(id)?.addEventListener("click", action);
    const whole = () => show(state.view.from_s, state.view.to_s);
    click("whole", whole);
    click("zoom-in", () => zoom(0.5));
    click("zoom-out", () => zoom(2));
    click("minute", () => show(middle() - 30, middle() + 30));
    click("previous", () => step(-1));
    click("next", () => step(1));
    click("clear", clear);
    click("ecg-near", () => show(middle() - 5, middle() + 5));
    click("undo", () => marks.undo());
    click("redo", () => marks.redo());
    click("help-button", () => element("help").showModal());
    click("print", () => print());
    click("select-mode", (event) => {
      state.selecting = !state.selecting;
      event.currentTarget.setAttribute("aria-pressed", state.selecting);
    });
    element("order").addEventListener("change", (event) => { list.order = event.target.value; list.draw(); });
    if (marks) {
      element("selection-choices").replaceChildren(...pacl.choices((kind) => say(kind), "the selected stretch"));
      noteDialog((note) => say("note", state.selection, note));
    }

    const nudge = (seconds) => { state.cursor = middle() + seconds; draw(); };
    pacl.keys({
      ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2),
      "Shift+ArrowLeft": () => pan(-0.9), "Shift+ArrowRight": () => pan(0.9),
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: whole,
      n: () => step(1), p: () => step(-1),
      ",": () => nudge(-(state.to - state.from) / 100), ".": () => nudge((state.to - state.from) / 100),
      "[": () => select(middle(), state.selection?.end_s ?? state.to),
      "]": () => select(state.selection?.start_s ?? state.from, middle()),
      a: () => say("af"), x: () => say("not-af"), r: () => say("sinus"), e: () => say("exclude"),
      m: () => marks && (state.selection ? element("note").showModal() : say("note")),
      u: () => marks?.undo(), "Ctrl+z": () => marks?.undo(), "Ctrl+Shift+z": () => marks?.redo(), "Ctrl+y": () => marks?.redo(),
      "Ctrl+p": () => (source.live ? open("sheet", "_blank", "noopener") : print()),
      Escape: clear, "?": () => element("help").showModal(),
    });

    pacl.onTheme(() => { overview.stale = true; list.redraw(); draw(); });
    new ResizeObserver(() => { overview.stale = true; draw(); }).observe(chart.parentElement);
    showAll();
    drawNow();
    document.body.dataset.ready = "yes";
    performance.mark("pacl-first-picture");
  };

  const noteDialog = (save) => {
    const dialog = element("note");
    element("note-open").addEventListener("click", () => dialog.showModal());
    // What was written stays there until it is saved.
    dialog.addEventListener("close", async () => {
      const field = element("note-text");
      const text = field.value.trim();
      const wanted = dialog.returnValue === "save" && text;
      dialog.returnValue = "";
      if (!wanted || await save(text)) field.value = "";
    });
  };

  start();
})();
