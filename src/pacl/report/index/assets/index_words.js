// Numbers, durations and dates as text, worded as in the reports, and elements with text in them.
(() => {
  const pacl = globalThis.pacl ??= {};
  const SPACE = "\u00a0";
  const DASH = "–";
  const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December"];

  const words = pacl.words = { DASH };

  // Only exactly 0 and 1 are 0 % and 100 %.
  words.percent = (part) => {
    if (part === null || part === undefined) return DASH;
    if (part > 0 && part < 0.001) return `<${SPACE}0.1${SPACE}%`;
    if (part > 0.999 && part < 1) return `>${SPACE}99.9${SPACE}%`;
    const digits = part === 0 || part === 1 || (part >= 0.0995 && part < 0.9895) ? 0 : 1;
    return `${(100 * part).toFixed(digits)}${SPACE}%`;
  };

  words.duration = (seconds) => {
    if (seconds === null || seconds === undefined) return DASH;
    const two = (number) => String(number).padStart(2, "0");
    const whole = Math.round(seconds);
    if (whole < 60) return `${whole}${SPACE}s`;
    if (whole < 3600) return `${Math.floor(whole / 60)}${SPACE}min${SPACE}${two(whole % 60)}${SPACE}s`;
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)}${SPACE}h${SPACE}${two(minutes % 60)}${SPACE}min`;
  };

  words.moment = (started) => (started ? started.slice(0, 16).replace("T", SPACE) : DASH);

  words.counted = (count, noun, several = `${noun}s`) =>
    `${count.toLocaleString("en")} ${count === 1 ? noun : several}`;

  words.month = (month) => `${MONTHS[Number(month.slice(5, 7)) - 1]} ${month.slice(0, 4)}`;

  words.day = (date) => `${Number(date.slice(8, 10))} ${words.month(date)}`;

  // Text goes in as text: names of recordings and persons may hold markup.
  pacl.element = (name, attributes = {}, ...children) => {
    const found = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) found.setAttribute(key, value === true ? "" : value);
    }
    found.append(...children);
    return found;
  };
})();
