// The list of episodes: start, length, confidence, a minute of beats, and what to say about each.
(() => {
  const pacl = globalThis.pacl ??= {};
  const SHOWN = 60;
  const STRIP_S = 60;
  const ORDERS = {
    time: (one, other) => one.start_s - other.start_s,
    longest: (one, other) => (other.end_s - other.start_s) - (one.end_s - one.start_s),
    unsure: (one, other) => one.confidence - other.confidence,
  };
  const CHOICES = [["af", "AF"], ["not-af", "Not AF"], ["sinus", "Sinus rhythm"], ["exclude", "Exclude"]];

  pacl.make = (tag, values = {}, ...children) => {
    const found = document.createElement(tag);
    for (const [name, value] of Object.entries(values)) {
      if (name in found) found[name] = value;
      else found.setAttribute(name, value);
    }
    found.append(...children);
    return found;
  };

  // Buttons that mark a stretch; `mark` is called with the kind.
  pacl.choices = (mark, about) => CHOICES.map(([kind, text]) => {
    const button = pacl.make("button", { type: "button", className: `choice ${kind}`, textContent: text });
    button.setAttribute("aria-label", `${text}: ${about}`);
    button.addEventListener("click", (event) => { event.stopPropagation(); mark(kind); });
    return button;
  });

  pacl.EpisodeList = class {
    // `jump(episode)` shows one; `mark(kind, episode)` marks it, null on a page that cannot.
    constructor(place, state, { jump, mark }) {
      Object.assign(this, { place, state, jump, mark, order: "time", shown: SHOWN });
      this.seen = new IntersectionObserver((entries) => {
        for (const one of entries) {
          if (one.isIntersecting && !one.target.dataset.drawn) this.strip(one.target);
        }
      }, { rootMargin: "200px" });
    }

    draw() {
      const { state } = this;
      const all = [...state.view.episodes].sort(ORDERS[this.order]);
      const focused = this.focused();
      this.seen.disconnect();
      this.place.replaceChildren(...all.slice(0, this.shown).map((one) => this.item(one)));
      const rest = all.length - this.shown;
      if (rest > 0) {
        const more = pacl.make("button", { type: "button", className: "more",
          textContent: `Show ${Math.min(rest, SHOWN)} more of ${rest.toLocaleString("en")}` });
        more.addEventListener("click", () => { this.shown += SHOWN; this.draw(); });
        this.place.append(pacl.make("li", { className: "rest" }, more));
      }
      if (!all.length) {
        this.place.append(pacl.make("li", { className: "none", textContent: state.view.judged_s > 0
          ? "No episode of AF was found in the judged time." : "Nothing could be judged." }));
      }
      if (focused) this.refocus(focused);
    }

    // Where the focus is in the list: in which item, and on which of its buttons.
    focused() {
      const items = [...this.place.children];
      const at = items.findIndex((one) => one.contains(document.activeElement));
      return at < 0 ? null : { at, button: [...items[at].querySelectorAll("button")].indexOf(document.activeElement) };
    }

    // Puts it back to the same place, so that one can go on from there.
    refocus({ at, button }) {
      const item = this.place.children[Math.min(at, this.place.children.length - 1)];
      const buttons = item?.querySelectorAll("button") ?? [];
      (buttons[button] ?? buttons[0])?.focus({ preventScroll: true });
    }

    item(one) {
      const { clock } = this.state;
      const dated = clock.date(this.state.view.from_s) !== clock.date(this.state.view.to_s);
      const start = clock.text(one.start_s, { dated });
      const about = `episode at ${start}`;
      const facts = [pacl.duration(one.end_s - one.start_s), `confidence ${pacl.percent(one.confidence)}`];
      if (one.may_be_flutter) facts.push("may be flutter");
      if (one.by_hand) facts.push("marked by hand");
      const go = pacl.make("button", { type: "button", className: "go" },
        pacl.make("strong", { textContent: start }), pacl.make("span", { textContent: facts.join(" · ") }));
      go.addEventListener("click", () => this.jump(one));
      const strip = pacl.make("canvas", { className: "strip" });
      strip.setAttribute("role", "img");
      strip.setAttribute("aria-label", `A minute of beats from ${start} on`);
      strip.addEventListener("click", () => this.jump(one));
      strip.episode = one;
      this.seen.observe(strip);
      const found = pacl.make("li", { className: "episode" }, go, strip);
      found.dataset.start = one.start_s;
      if (one === this.state.episode) found.classList.add("current");
      if (this.mark) {
        found.append(pacl.make("div", { className: "choices" }, ...pacl.choices((kind) => this.mark(kind, one), about)));
      }
      return found;
    }

    // Marks the episode that the chart shows.
    point() {
      for (const one of this.place.querySelectorAll(".episode")) {
        const current = this.state.episode !== null && Number(one.dataset.start) === this.state.episode.start_s;
        one.classList.toggle("current", current);
        if (current) one.querySelector(".go").setAttribute("aria-current", "true");
        else one.querySelector(".go").removeAttribute("aria-current");
      }
    }

    redraw() {
      for (const strip of this.place.querySelectorAll("canvas.strip")) {
        if (strip.dataset.drawn) this.strip(strip);
      }
    }

    strip(canvas) {
      canvas.dataset.drawn = "yes";
      const from = canvas.episode.start_s - 5;
      const { context, width, height, ratio } = pacl.fitted(canvas);
      const area = { x: 2, y: 4, width: width - 4, height: height - 8 };
      const x = (at) => area.x + (at - from) * area.width / STRIP_S;
      context.fillStyle = pacl.colours.af;
      context.globalAlpha = 0.1;
      context.fillRect(x(from + 5), 0, Math.min(x(canvas.episode.end_s), width) - x(from + 5), height);
      context.globalAlpha = 1;
      pacl.drawDots(context, ratio, this.state.beats, { from, to: from + STRIP_S }, area);
    }
  };
})();
