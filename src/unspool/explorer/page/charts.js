// Small charts: axes that say what they measure, and a brush that answers to pointer and keys.

import { h, number, put, s } from "./dom.js";

const WIDTH = 312;
const EDGE = { left: 38, right: 8, top: 8, bottom: 30 };

function frame(height, label) {
  return s("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
}

function scale(low, high, from, to) {
  const per = high > low ? (to - from) / (high - low) : 0;
  return Object.assign((value) => from + (value - low) * per, {
    low, high, from, to,
    back: (pixel) => (per ? low + (pixel - from) / per : low),
  });
}

/** Round numbers inside an interval, about `wanted` of them. */
export function ticks(low, high, wanted = 4) {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) found.push(value);
  return found.map((value) => Number(value.toPrecision(12)));
}

function brief(value) {
  if (Math.abs(value) < 1e5) return number(value);
  return value.toLocaleString("en-US", { notation: "compact", maximumSignificantDigits: 3 });
}

function axes(x, y, height, { xLabel, yLabel, xTicks, yTicks = 4 }) {
  const bottom = height - EDGE.bottom;
  return [
    ...(xTicks ?? ticks(x.low, x.high, 5)).map((value) =>
      s("text", { x: x(value), y: bottom + 13, class: "tick", "text-anchor": "middle" }, brief(value))),
    ...(yTicks ? ticks(y.low, y.high, yTicks) : []).flatMap((value) => [
      s("line", { x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(value), y2: y(value), class: "rule" }),
      s("text", { x: EDGE.left - 5, y: y(value) + 3.5, class: "tick", "text-anchor": "end" }, brief(value)),
    ]),
    s("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: height - 3, class: "axis", "text-anchor": "middle" }, xLabel ?? ""),
    yLabel ? s("text", { x: 11, y: (EDGE.top + bottom) / 2, class: "axis", "text-anchor": "middle", transform: `rotate(-90 11 ${(EDGE.top + bottom) / 2})` }, yLabel) : null,
  ];
}

/** Draw a histogram; `onBrush([low, high] | null)` makes it a chooser. */
export function histogramChart({ edges, counts, label, xLabel, color, height = 110, brush = null, onBrush = null }) {
  const svg = frame(height, label);
  const bottom = height - EDGE.bottom;
  const x = scale(edges[0], edges[edges.length - 1], EDGE.left, WIDTH - EDGE.right);
  const most = Math.max(...counts, 1);
  const y = scale(0, most, bottom, EDGE.top);
  const bars = counts.map((count, k) =>
    s("rect", {
      x: x(edges[k]), width: Math.max(x(edges[k + 1]) - x(edges[k]) - 0.5, 0.5),
      y: Math.min(y(count), count ? bottom - 1 : bottom), height: count ? Math.max(bottom - y(count), 1) : 0,
      class: "column", fill: color ? color((edges[k] + edges[k + 1]) / 2) : null,
    }));
  put(svg, ...axes(x, y, height, { xLabel, yTicks: 2 }), ...bars);
  if (onBrush) addBrush(svg, { x, top: EDGE.top, bottom, brush, onBrush: (box) => onBrush(box && [box[0], box[2]]) });
  return svg;
}

/** Draw values against their number: scree and elbows. */
export function curveChart({ values, at, label, xLabel, yLabel, marked = [], height = 130 }) {
  const svg = frame(height, label);
  const places = at ?? values.map((_, k) => k + 1);
  const x = scale(Math.min(...places), Math.max(...places, places[0] + 1), EDGE.left + 8, WIDTH - EDGE.right - 4);
  const y = scale(Math.min(0, ...values), Math.max(...values, 1e-12), height - EDGE.bottom, EDGE.top);
  const line = places.map((place, k) => `${k ? "L" : "M"}${x(place)} ${y(values[k])}`).join("");
  const xTicks = places.length <= 12 ? places : ticks(x.low, x.high, 6).filter(Number.isInteger);
  put(
    svg,
    ...axes(x, y, height, { xLabel, yLabel, xTicks, yTicks: 3 }),
    s("path", { d: line, class: "curve" }),
    ...places.map((place, k) => s("circle", { cx: x(place), cy: y(values[k]), r: marked.includes(place) ? 4.5 : 3, class: marked.includes(place) ? "dot marked" : "dot" })),
  );
  return svg;
}

/** Draw estimates with their spread, one line each. */
export function estimateChart({ estimates, value, label }) {
  const height = 22 * estimates.length + 34;
  const svg = frame(height, label);
  const high = Math.max(...estimates.map((one) => one.value + 2 * (one.standard_error || 0)), value, 1) * 1.08;
  const x = scale(0, high, 118, WIDTH - 12);
  const bottom = height - EDGE.bottom;
  put(
    svg,
    ...ticks(0, high, 4).flatMap((tick) => [
      s("line", { x1: x(tick), x2: x(tick), y1: 4, y2: bottom, class: "rule" }),
      s("text", { x: x(tick), y: bottom + 13, class: "tick", "text-anchor": "middle" }, number(tick)),
    ]),
    s("line", { x1: x(value), x2: x(value), y1: 2, y2: bottom, class: "reference" }),
    ...estimates.flatMap((one, k) => {
      const y = 16 + 22 * k;
      const spread = 2 * (one.standard_error || 0);
      return [
        s("text", { x: 112, y: y + 3.5, class: "tick", "text-anchor": "end" }, one.method),
        s("line", { x1: x(Math.max(one.value - spread, 0)), x2: x(one.value + spread), y1: y, y2: y, class: "whisker" }),
        s("circle", { cx: x(one.value), cy: y, r: 4, class: "dot marked" }),
      ];
    }),
  );
  return svg;
}

const BINS = 80;

/** Draw distances on the map against those of the data as a density, with a brush over both. */
export function shepardChart({ data, map, label, tint, brush, onBrush }) {
  const height = 236;
  const x = scale(0, largest(data), EDGE.left, WIDTH - EDGE.right);
  const y = scale(0, largest(map), height - EDGE.bottom, EDGE.top);
  const canvas = h("canvas", { class: "density", width: 2 * WIDTH, height: 2 * height });
  paintDensity(canvas, data, map, x, y, tint);
  const svg = frame(height, label);
  put(svg, ...axes(x, y, height, { xLabel: "distance in the data", yLabel: "on the map" }));
  addBrush(svg, { x, y, top: EDGE.top, bottom: height - EDGE.bottom, brush, onBrush });
  return h("div", { class: "layered" }, canvas, svg);
}

function largest(values) {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most || 1;
}

function paintDensity(canvas, data, map, x, y, tint) {
  const counts = new Uint32Array(BINS * BINS);
  let most = 1;
  for (let i = 0; i < data.length; i++) {
    const column = Math.min(BINS - 1, Math.floor((data[i] / x.high) * BINS));
    const row = Math.min(BINS - 1, Math.floor((map[i] / y.high) * BINS));
    if (column >= 0 && row >= 0) most = Math.max(most, ++counts[row * BINS + column]);
  }
  const small = h("canvas", { width: BINS, height: BINS }); // enlarged without seams between cells
  const cells = small.getContext("2d");
  cells.fillStyle = tint;
  counts.forEach((count, k) => {
    if (!count) return;
    cells.globalAlpha = 0.1 + 0.9 * Math.sqrt(count / most);
    cells.fillRect(k % BINS, BINS - 1 - Math.floor(k / BINS), 1, 1);
  });
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, x.from, y.to, x.to - x.from, y.from - y.to);
}

/** Let a rectangle (with `y`) or an interval be drawn: in data units [x0, y0, x1, y1], null when cleared. */
function addBrush(svg, { x, y = null, top, bottom, brush, onBrush }) {
  const shade = s("rect", { class: "brush" });
  const area = s("rect", { x: x.from, y: top, width: x.to - x.from, height: bottom - top, class: "brushable", tabindex: 0, role: "slider", "aria-label": "brush: drag, or arrow keys; Escape clears", "aria-valuetext": "" });
  let box = brush && (y ? [x(brush[0]), y(brush[3]), x(brush[2]), y(brush[1])] : [x(brush[0]), top, x(brush[1]), bottom]);
  let from = null;
  const clip = (value, low, high) => Math.min(Math.max(value, low), high);
  const pixel = (event) => {
    const bounds = svg.getBoundingClientRect();
    const unit = WIDTH / bounds.width;
    return [clip((event.clientX - bounds.left) * unit, x.from, x.to), clip((event.clientY - bounds.top) * unit, top, bottom)];
  };
  const show = () => {
    const [x0, y0, x1, y1] = box ?? [0, 0, 0, 0];
    for (const [name, value] of Object.entries({ x: x0, y: y0, width: Math.max(x1 - x0, 0), height: Math.max(y1 - y0, 0) })) shade.setAttribute(name, value);
    area.setAttribute("aria-valuetext", box ? `${number(x.back(x0))} to ${number(x.back(x1))}` : "nothing brushed");
  };
  const tell = () => onBrush(box && [x.back(box[0]), y ? y.back(box[3]) : 0, x.back(box[2]), y ? y.back(box[1]) : 0]);
  area.addEventListener("pointerdown", (event) => {
    from = pixel(event);
    area.setPointerCapture(event.pointerId);
  });
  area.addEventListener("pointermove", (event) => {
    if (!from) return;
    const at = pixel(event);
    box = [Math.min(from[0], at[0]), y ? Math.min(from[1], at[1]) : top, Math.max(from[0], at[0]), y ? Math.max(from[1], at[1]) : bottom];
    show();
  });
  area.addEventListener("pointerup", (event) => {
    const at = pixel(event);
    if (Math.hypot(at[0] - from[0], at[1] - from[1]) < 3) box = null;
    from = null;
    show();
    tell();
  });
  area.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -8, ArrowRight: 8 }[event.key];
    if (event.key === "Escape" && box) box = null;
    else if (step) {
      box ??= [x.from, top, x.from + (x.to - x.from) / 6, bottom];
      const moved = event.shiftKey ? [box[0], box[2] + step] : [box[0] + step, box[2] + step];
      box = [clip(moved[0], x.from, x.to), box[1], clip(moved[1], x.from, x.to), box[3]];
    } else return;
    event.preventDefault();
    event.stopPropagation();
    show();
    tell();
  });
  show();
  svg.append(shade, area);
}
