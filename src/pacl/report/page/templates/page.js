// The page reads well without this: it adds the switch of colours, keeps the contents at hand, and
// opens what is folded away before printing. Each part is left out where a page has no place for it.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const shown = () => root.dataset.theme || (dark.matches ? "dark" : "light");
  if (remembered()) root.dataset.theme = remembered();

  function switchColours(button) {
    const label = () => {
      const other = shown() === "dark" ? "Light" : "Dark";
      button.textContent = (other === "Dark" ? "☾ " : "☀ ") + other;
      button.setAttribute("aria-label", `Show in ${other.toLowerCase()} colours`);
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = shown() === "dark" ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not remembered */ }
      label();
    });
    dark.addEventListener("change", label);
    label();
  }

  function followContents(contents) {
    const wide = matchMedia("(min-width: 70rem)");
    const unfold = () => { contents.open = wide.matches; };
    wide.addEventListener("change", unfold);
    unfold();
    contents.addEventListener("click", (event) => {
      if (event.target.closest("a") && !wide.matches) contents.open = false;
    });
    const links = [...contents.querySelectorAll("a")];
    const heads = links.map((link) => document.getElementById(link.hash.slice(1)));
    const follow = () => {
      const at = heads.findLastIndex((head) => head.getBoundingClientRect().top < 120);
      links.forEach((link, i) => {
        if (i === at) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
    };
    addEventListener("scroll", follow, { passive: true });
    follow();
  }

  const button = document.getElementById("theme");
  if (button) switchColours(button);
  const contents = document.getElementById("contents");
  if (contents) followContents(contents);

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    folded.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((one) => { one.open = false; }));
})();
