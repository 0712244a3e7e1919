// Keys of the page; a list of them is shown with a question mark.
(() => {
  const pacl = globalThis.pacl ??= {};

  // `actions` by key; keys typed into a field, or with other modifiers, are left alone.
  pacl.keys = (actions) => {
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("input, textarea, select, dialog")) return;
      const bracket = ["[", "]"].includes(event.key); // many keyboards have them behind AltGr or Option
      if (event.altKey && !bracket) return;
      const control = (event.ctrlKey || event.metaKey) && !bracket;
      const name = control ? `Ctrl+${event.shiftKey ? "Shift+" : ""}${event.key.toLowerCase()}`
        : event.key.length === 1 ? event.key.toLowerCase() : `${event.shiftKey ? "Shift+" : ""}${event.key}`;
      const action = actions[name];
      const onControl = event.target.closest("button, a, summary, [tabindex]:not(canvas)");
      if (!action || (onControl && ["Enter", " "].includes(event.key))) return;
      if (onControl?.closest(".scroll") && event.key.startsWith("Arrow")) return;
      event.preventDefault();
      action();
    });
  };
})();
