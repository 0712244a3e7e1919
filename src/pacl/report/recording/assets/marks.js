// What a person says about stretches of the recording: sent to the program, listed, taken back.
(() => {
  const pacl = globalThis.pacl ??= {};
  const NAMES = { af: "AF", "not-af": "Not AF", sinus: "Sinus rhythm", exclude: "Excluded", note: "Note" };
  const POLL_MS = 3000;
  const LONGEST_MS = 8000;
  const AWAY = "pacl view does not answer; is it still running?";
  const ANEW = "pacl view was started anew; open the address that it printed then.";

  // Asks pacl view; an error says what a person can do about it.
  const asked = async (address, options) => {
    let answer;
    try {
      answer = await fetch(address, options);
    } catch {
      throw new Error(AWAY);
    }
    if (answer.status === 403) throw new Error(ANEW);
    const content = await answer.json();
    if (!answer.ok) throw new Error(content.error);
    return content;
  };

  pacl.Marks = class {
    // `changed(view)` gets the new values of the recording.
    constructor(state, changed) {
      this.state = state;
      this.changed = changed;
      this.waiting = Promise.resolve();
      this.alert = document.getElementById("alert");
      this.lost = null;
      this.polling = false;
      setInterval(() => { if (!document.hidden) this.poll(); }, POLL_MS);
      document.addEventListener("visibilitychange", () => { if (!document.hidden) this.poll(); });
    }

    // One after the other, so that marks are kept in the order in which they were made.
    queue(task) {
      const done = this.waiting.then(task);
      this.waiting = done.catch(() => {});
      return done;
    }

    send(entry) { return this.queue(() => this.post(entry)); }

    // Whether it was saved, which it may be although its result cannot be shown.
    async post(entry) {
      document.body.classList.add("busy");
      try {
        const view = await asked("edits", { method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify(entry) });
        this.alert.textContent = "";
        await this.changed(view).catch(() => { this.alert.textContent = this.lost = `Saved. ${AWAY}`; });
        return true;
      } catch (error) {
        this.alert.textContent = `Not saved: ${error.message}`;
        return false;
      } finally {
        document.body.classList.remove("busy");
      }
    }

    // Takes up what another page or program has marked; what was not saved stays on the page.
    async poll() {
      if (this.polling) return;
      this.polling = true;
      try {
        const { revision } = await asked("revision", { signal: AbortSignal.timeout(LONGEST_MS) });
        if (revision !== this.state.view.revision) await this.queue(() => this.take());
        if (this.alert.textContent === this.lost) this.alert.textContent = "";
      } catch (error) {
        const told = this.alert.textContent;
        if (!told || told === this.lost) this.alert.textContent = this.lost = error.message;
      } finally {
        this.polling = false;
      }
    }

    async take() {
      const view = await asked("view");
      if (view.revision !== this.state.view.revision) await this.changed(view);
    }

    // The last one is looked for when those before are saved: two quick keys take back two marks.
    step(kind, of) {
      return this.queue(() => {
        const last = this.state.view[of].at(-1);
        return last ? this.post({ kind, of: last.id }) : false;
      });
    }

    undo() { return this.step("undo", "edits"); }

    redo() { return this.step("redo", "undone"); }

    draw() {
      const { edits, undone } = this.state.view;
      const { clock, dated } = this.state;
      document.getElementById("undo").disabled = !edits.length;
      document.getElementById("redo").disabled = !undone.length;
      document.getElementById("marks-count").textContent = edits.length
        ? pacl.counted(edits.length, "mark") : "No marks yet.";
      document.getElementById("marks-list").replaceChildren(...[...edits].reverse().map((one) => {
        const when = `${clock.text(one.start_s, { dated })} to ${clock.text(one.end_s, { dated })}`;
        const back = pacl.make("button", { type: "button", textContent: "Undo" });
        back.setAttribute("aria-label", `Undo ${NAMES[one.kind]}, ${when}`);
        back.addEventListener("click", () => this.send({ kind: "undo", of: one.id }));
        const found = pacl.make("li", {}, pacl.make("strong", { textContent: NAMES[one.kind] }),
          pacl.make("span", { textContent: ` ${when}` }));
        if (one.note) found.append(pacl.make("q", { textContent: one.note }));
        found.append(back);
        return found;
      }));
    }
  };
})();
