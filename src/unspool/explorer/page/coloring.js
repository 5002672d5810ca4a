// What colours mean: the values behind them, and the legend that switches them.

import { categoryColor, categoryShape, scaleColor, scaleColors } from "./color.js";
import { histogramChart } from "./charts.js";
import { h, number, s } from "./dom.js";

/** Load what a colour stands for on a map: categories or values, null where all points look alike. */
export async function loadColor(source, color, map) {
  if (!color) return null;
  if (color.kind === "column") return columnData(source, color.index);
  const frame = await source.score(map, color.name);
  return { ...valuesOf(frame), scale: "score", moreIsBetter: frame.more_is_better };
}

/** Load a column as categories or as values. */
export async function columnData(source, index) {
  const frame = await source.column(index);
  if (frame.kind === "category") return { kind: "category", name: frame.name, labels: frame.labels, counts: frame.counts, codes: frame.arrays.codes };
  if (frame.kind === "text") return null;
  return { ...valuesOf(frame), scale: "values" };
}

function valuesOf(frame) {
  const values = frame.arrays.values;
  return {
    kind: "values",
    name: frame.title ?? frame.name,
    facts: frame,
    values,
    limits: innerLimits(values, frame.low, frame.high),
    full: [Math.min(frame.low, frame.histogram.edges[0]), Math.max(frame.high, frame.histogram.edges.at(-1))],
    histogram: frame.histogram,
    missing: frame.missing ?? (frame.n_scored === undefined ? 0 : values.length - frame.n_scored),
  };
}

const SAMPLE = 5000;
const TAIL = 0.01; // of the values at either end share the last colour where they stretch the scale

/** Let a few stray values not take all of the scale. */
function innerLimits(values, low, high) {
  const step = Math.max(1, Math.floor(values.length / SAMPLE));
  const sample = [];
  for (let i = 0; i < values.length; i += step) if (values[i] === values[i]) sample.push(values[i]);
  if (sample.length < 20) return [low, high];
  sample.sort((a, b) => a - b);
  const inner = [sample[Math.floor(TAIL * sample.length)], sample[Math.ceil((1 - TAIL) * sample.length) - 1]];
  if (!(inner[1] > inner[0])) return [low, high];
  return high - low > 1.5 * (inner[1] - inner[0]) ? inner : [low, high];
}

/** Draw the legend of a colour. */
export function legend(app, data, state) {
  if (!data) return h("p", { class: "hint" }, "All points have one colour.");
  return data.kind === "category" ? categoryLegend(app, data, state) : valueLegend(app, data, state);
}

const LISTED = 60;

function categoryLegend(app, data, state) {
  const off = new Set(state.hidden);
  const missing = data.counts.length ? app.info.n_points - data.counts.reduce((sum, count) => sum + count, 0) : 0;
  const codes = [...data.labels.keys()].slice(0, LISTED);
  const toggle = (code, event) => {
    const all = [...data.labels.keys(), ...(missing ? [-1] : [])];
    if (event.altKey || event.shiftKey) {
      const alone = all.filter((other) => other !== code);
      return app.store.set({ hidden: alone.every((other) => off.has(other)) && !off.has(code) ? [] : alone });
    }
    app.store.set({ hidden: off.has(code) ? state.hidden.filter((other) => other !== code) : [...state.hidden, code] });
  };
  const entry = (code, label, count) =>
    h("button", {
      class: "legend-entry", "aria-pressed": String(!off.has(code)), "data-code": code,
      title: "switch on or off; with Shift show it alone", onclick: (event) => toggle(code, event),
    }, swatch(code, app.theme()), h("span", { class: "legend-label" }, label), h("span", { class: "legend-count" }, number(count)));
  return h("div", { class: "legend", role: "group", "aria-label": `legend of ${data.name}` },
    ...codes.map((code) => entry(code, data.labels[code], data.counts[code])),
    data.labels.length > LISTED ? h("p", { class: "hint" }, `and ${number(data.labels.length - LISTED)} more categories`) : null,
    data.labels.length > 40 ? h("p", { class: "hint" }, "Colours and shapes repeat after forty categories.") : null,
    missing > 0 ? entry(-1, "no value", missing) : null,
    h("div", { class: "row" },
      h("button", { class: "link", onclick: () => app.store.set({ hidden: [] }) }, "show all"),
      h("button", { class: "link", onclick: () => app.store.set({ hidden: [...data.labels.keys()] }) }, "hide all")));
}

const OUTLINES = [
  () => s("circle", { cx: 6, cy: 6, r: 5 }),
  () => s("path", { d: "M6 11.500L.8 2.200h10.400z" }),
  () => s("rect", { x: 1.500, y: 1.500, width: 9, height: 9 }),
  () => s("path", { d: "M6 .4L11.600 6 6 11.600.4 6z" }),
];

function swatch(code, theme) {
  const outline = OUTLINES[categoryShape(code)]();
  outline.setAttribute("fill", categoryColor(code, theme));
  return s("svg", { viewBox: "0 0 12 12", class: "swatch", "aria-hidden": "true" }, outline);
}

function valueLegend(app, data, state) {
  const colors = scaleColors(data.scale, app.theme(), data.moreIsBetter);
  const [low, high] = data.limits;
  const share = (value) => (high > low ? (value - low) / (high - low) : 0.5);
  const clipped = low > data.full[0] || high < data.full[1];
  const bound = (index, text) => h("label", { class: "bound" }, text,
    h("input", {
      type: "number", step: "any", value: Number((state.range ?? data.full)[index].toPrecision(6)),
      onchange: (event) => {
        const range = [...(state.range ?? data.full)];
        range[index] = Number(event.target.value);
        app.store.set({ range: range[0] <= data.full[0] && range[1] >= data.full[1] ? null : range });
      },
    }));
  return h("div", { class: "legend" },
    data.facts.meaning ? h("p", { class: "hint" }, data.facts.meaning) : null,
    data.facts.words ? h("p", { class: "words" }, data.facts.words) : null,
    ramp(colors, data),
    histogramChart({
      edges: data.histogram.edges, counts: data.histogram.counts, xLabel: data.name, label: `histogram of ${data.name}`,
      color: (value) => scaleColor(colors, share(value)), brush: state.range,
      onBrush: (range) => app.store.set({ range }),
    }),
    h("div", { class: "row" }, bound(0, "from"), bound(1, "to"),
      state.range ? h("button", { class: "link", onclick: () => app.store.set({ range: null }) }, "all") : null),
    clipped ? h("p", { class: "hint" }, `One in a hundred values at the ends share the last colours; they go from ${number(data.full[0])} to ${number(data.full[1])}.`) : null,
    data.missing > 0 ? h("p", { class: "hint" }, `${number(data.missing)} points have no value and are grey.`) : null);
}

function ramp(colors, data) {
  const cells = Array.from({ length: 64 }, (_, k) =>
    s("rect", { x: k, y: 0, width: 1.1, height: 6, fill: scaleColor(colors, k / 63) }));
  const words = data.moreIsBetter === undefined ? [number(data.limits[0]), number(data.limits[1])]
    : [`${number(data.limits[0])}${data.moreIsBetter ? " · at fault" : " · sound"}`, `${data.moreIsBetter ? "sound" : "at fault"} · ${number(data.limits[1])}`];
  return h("div", { class: "ramp" },
    s("svg", { viewBox: "0 0 64 6", preserveAspectRatio: "none", "aria-hidden": "true" }, ...cells),
    h("div", { class: "ramp-ends" }, h("span", {}, words[0]), h("span", {}, words[1])));
}
