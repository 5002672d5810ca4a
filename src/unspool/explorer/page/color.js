// Colours that everybody can tell apart, on white and on black.

// Petroff 2021, as in the figures of the library: ten colours, then the same with another shape.
const CATEGORIES = {
  light: ["#3F90DA", "#FFA90E", "#BD1F01", "#832DB6", "#92DADD", "#A96B59", "#E76300", "#B9AC70", "#717581", "#94A4A2"],
  dark: ["#3F90DA", "#FFA90E", "#E5482D", "#B36BE0", "#92DADD", "#A96B59", "#E76300", "#B9AC70", "#8A90A0", "#B4C4C2"],
};
export const SHAPES = 4; // circle, triangle, square, diamond

// Values of data: viridis at nine stops, even in lightness.
const VIRIDIS = ["#440154", "#472D7B", "#3B528B", "#2C728E", "#21918C", "#28AE80", "#5EC962", "#ADDC30", "#FDE725"];
// Scores have a scale of their own, so that no one takes them for data: what is sound is quiet, what is at fault glows.
const FAULT = {
  light: ["#C9D3DC", "#C3BFB4", "#C9A27F", "#CF8350", "#CC6425", "#B24409", "#8A2A00"],
  dark: ["#3B4753", "#5A5552", "#80634B", "#AD7340", "#D98532", "#FF9F3D", "#FFC98A"],
};
const MISSING = { light: "#D5D9DD", dark: "#3C444B" };
const STEPS = 256;

/** Tell the colour of category `code` (negative: missing). */
export function categoryColor(code, theme) {
  if (code < 0) return MISSING[theme];
  return CATEGORIES[theme][code % CATEGORIES[theme].length];
}

/** Tell the shape of category `code`: the second ten are triangles, and so on. */
export function categoryShape(code) {
  return code < 0 ? 0 : Math.floor(code / CATEGORIES.light.length) % SHAPES;
}

/** Make a scale of 256 colours for values or for scores. */
export function scaleColors(kind, theme, moreIsBetter = false) {
  let stops = kind === "score" ? FAULT[theme] : VIRIDIS;
  if (kind === "score" && moreIsBetter) stops = [...stops].reverse();
  if (kind !== "score" && theme === "dark") stops = stops.slice(1); // the darkest is lost on a dark page
  const bytes = new Uint8Array(STEPS * 3);
  for (let step = 0; step < STEPS; step++) {
    const at = (step / (STEPS - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const [one, other] = [rgb(stops[low]), rgb(stops[low + 1])];
    for (let c = 0; c < 3; c++) bytes[3 * step + c] = one[c] + (at - low) * (other[c] - one[c]);
  }
  return bytes;
}

/** Tell the colour of a scale at `share` between 0 and 1 as text. */
export function scaleColor(bytes, share) {
  const step = Math.round(Math.min(Math.max(share, 0), 1) * (STEPS - 1)) * 3;
  return `rgb(${bytes[step]}, ${bytes[step + 1]}, ${bytes[step + 2]})`;
}

/** Read "#RRGGBB". */
export function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Colour every point, and say which are shown: `{rgba, shape, shown, n_shown, counts}`. */
export function paintPoints(n, data, look) {
  const painted = {
    rgba: new Uint8Array(4 * n),
    shape: new Uint8Array(n),
    shown: new Uint8Array(n).fill(1),
  };
  if (!data) paintPlain(painted, look);
  else if (data.kind === "category") paintCategories(painted, data, look);
  else paintValues(painted, data, look);
  return painted;
}

function paintPlain(painted, { theme }) {
  const pixel = packed(rgb(theme === "dark" ? "#7FA6C9" : "#40688C"));
  new Uint32Array(painted.rgba.buffer).fill(pixel);
}

function paintCategories(painted, data, { theme, hidden }) {
  const pixels = new Uint32Array(painted.rgba.buffer);
  const off = new Set(hidden);
  const codes = data.codes;
  const table = data.labels.map((_, code) => packed(rgb(categoryColor(code, theme))));
  const missing = packed(rgb(categoryColor(-1, theme)));
  const gone = data.labels.map((_, code) => (off.has(code) ? 0 : 1));
  const missingShown = off.has(-1) ? 0 : 1;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    pixels[i] = code < 0 ? missing : table[code];
    painted.shape[i] = categoryShape(code);
    painted.shown[i] = code < 0 ? missingShown : gone[code];
  }
}

function paintValues(painted, data, { theme, range, hidden }) {
  const pixels = new Uint32Array(painted.rgba.buffer);
  const scale = scaleColors(data.scale, theme, data.moreIsBetter);
  const table = new Uint32Array(STEPS);
  for (let k = 0; k < STEPS; k++) table[k] = packed(scale.subarray(3 * k, 3 * k + 3));
  const missing = packed(rgb(MISSING[theme]));
  const missingShown = hidden.includes(-1) ? 0 : 1;
  const [low, high] = data.limits;
  const factor = high > low ? (STEPS - 1) / (high - low) : 0;
  for (let i = 0; i < data.values.length; i++) {
    const value = data.values[i];
    if (value !== value) {
      pixels[i] = missing;
      painted.shown[i] = range ? 0 : missingShown;
      continue;
    }
    const step = (value - low) * factor;
    pixels[i] = table[step < 0 ? 0 : step > STEPS - 1 ? STEPS - 1 : step | 0];
    if (range && (value < range[0] || value > range[1])) painted.shown[i] = 0;
  }
}

function packed([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
