// Elements without markup: text arrives as text, handlers as functions, never as a string to parse.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: `h("button", {class: "quiet", onclick: act}, "Fit")`. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an element of a drawing. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined));
  return element;
}

/** Put other children into an element. */
export function put(element, ...children) {
  element.replaceChildren(
    ...children.flat(3).filter((child) => child !== null && child !== undefined),
  );
  return element;
}

// Icons: strokes on a grid of 20 x 20.
const ICONS = {
  pan: "M10 3v14M3 10h14M10 3l-2.2 2.2M10 3l2.2 2.2M10 17l-2.2-2.2M10 17l2.2-2.2M3 10l2.2-2.2M3 10l2.2 2.2M17 10l-2.2-2.2M17 10l-2.2 2.2",
  lasso: "M10 4c4 0 7 1.900 7 4.500S14 13 10 13 3 11.100 3 8.500 6 4 10 4M6.500 12.500c-1.200.8-1.200 2.300 0 2.700 1.500.5 1.400 1.800.3 2.300",
  rectangle: "M4 5h12v10H4z",
  path: "M4 15.500a1.500 1.500 0 1 0 .01 0M16 4.500a1.500 1.500 0 1 0 .01 0M5.500 15.500c4 0 2-6 5-6.500s1.500-4 4-4",
  back: "M3.500 4.500h13v11h-13zM3.500 12.500l3.500-3.500 3 3 2-2 4.500 4M12.500 7.500a.7.7 0 1 0 .01 0",
  undo: "M7 4L3.500 7.500 7 11M3.500 7.500H12a4.250 4.250 0 0 1 0 8.500H8",
  redo: "M13 4l3.500 3.500L13 11M16.500 7.500H8a4.250 4.250 0 0 0 0 8.500h4",
  fit: "M4 7.500V4h3.500M12.500 4H16v3.500M16 12.500V16h-3.500M7.500 16H4v-3.500",
  theme: "M10 3.500a6.500 6.500 0 1 0 0 13zM10 3.500a6.500 6.500 0 0 1 0 13",
  help: "M10 3a7 7 0 1 0 .01 0M8 8a2 2 0 1 1 3 1.700c-.7.4-1 .8-1 1.600M10 13.700v.1",
  close: "M5.500 5.500l9 9M14.500 5.500l-9 9",
  save: "M10 3.500v9M6.500 9.500l3.500 3.500 3.500-3.500M4 16.500h12",
  search: "M8.500 3.500a5 5 0 1 0 .01 0M12.300 12.300l4.200 4.200",
};

/** Make one of the icons. */
export function icon(name) {
  return s(
    "svg",
    { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" },
    s("path", { d: ICONS[name] }),
  );
}

/** Write a number as a reader wants it: enough digits, thousands apart, never 1.2000000e+3. */
export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en-US");
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(digits - 1);
  return value.toLocaleString("en-US", { maximumSignificantDigits: Math.max(digits, size >= 1000 ? 5 : 0) });
}

/** Write a score: three digits after the point, so that columns of them line up. */
export function scoreText(value) {
  return Number.isFinite(value) && Math.abs(value) < 100 ? value.toFixed(3) : number(value);
}

/** Run `act` at most once per frame of the screen, with the latest arguments. */
export function perFrame(act) {
  let waiting = 0;
  let latest;
  return (...given) => {
    latest = given;
    if (!waiting) waiting = requestAnimationFrame(() => ((waiting = 0), act(...latest)));
  };
}

/** Offer bytes as a file to save. */
export function offer(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
