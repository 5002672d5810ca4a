// The active map as a picture: points, what lies over them, its title and the legend.

import { categoryColor, scaleColor, scaleColors } from "./color.js";
import { number, offer } from "./dom.js";
import { INKS } from "./overlay.js";
import { escaped, paintShapes, shapesToSVG, short } from "./shapes.js";

export const VECTORS = 30_000; // points up to which an SVG holds each of them; above, they are one picture inside
const HEAD = 44;
const SIDE = 170;

/** Save the active map. */
export async function saveMap(app, format) {
  const state = app.store.get();
  const panel = app.board.active();
  const data = await app.colorData(state.color, panel.map).catch(() => null);
  const scene = { app, state, panel, data, ink: INKS[app.theme()], size: panel.view.size };
  const name = `${(app.info.title || "map").replace(/[^\w-]+/g, "-")}-${panel.map}.${format}`;
  const blob = format === "png" ? await asPNG(scene) : asSVG(scene);
  offer(name, blob);
  if (format === "svg" && isPictured(panel)) app.say(`the SVG holds its ${number(panel.n_shown)} points as one picture`);
}

function isPictured(panel) {
  return panel.n_shown > VECTORS;
}

function extent({ size, data }) {
  return { width: size.width + (data ? SIDE : 0), height: size.height + HEAD };
}

function asPNG(scene) {
  const { panel, size, ink } = scene;
  const { width, height } = extent(scene);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 2 * width, height: 2 * height });
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = ink.paper;
  context.fillRect(0, 0, width, height);
  panel.view.drawNow();
  context.drawImage(panel.view.points, 0, HEAD, size.width, size.height);
  context.save();
  context.translate(0, HEAD);
  context.beginPath();
  context.rect(0, 0, size.width, size.height);
  context.clip();
  paintShapes(context, panel.view.shapes());
  context.restore();
  paintShapes(context, headShapes(scene));
  paintShapes(context, legendShapes(scene));
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function asSVG(scene) {
  const { panel, size, ink } = scene;
  const { width, height } = extent(scene);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${short(width)}" height="${short(height)}" viewBox="0 0 ${short(width)} ${short(height)}">`,
    `<title>${escaped(titleOf(scene))}</title>`,
    `<rect width="100%" height="100%" fill="${ink.paper}"/>`,
    `<clipPath id="map"><rect width="${short(size.width)}" height="${short(size.height)}"/></clipPath>`,
    `<g transform="translate(0 ${HEAD})" clip-path="url(#map)">`,
    isPictured(panel) ? pictureOfPoints(scene) : vectorPoints(scene),
    shapesToSVG(panel.view.shapes()),
    "</g>",
    shapesToSVG(headShapes(scene)),
    shapesToSVG(legendShapes(scene)),
    "</svg>",
  ];
  return new Blob([parts.join("\n")], { type: "image/svg+xml" });
}

/** Every point as a dot, one path per colour. */
function vectorPoints({ app, panel, state, size }) {
  const project = panel.view.projector();
  const groups = new Map();
  const { rgba } = panel.look;
  for (let i = 0; i < app.info.n_points; i++) {
    const mark = panel.marks[4 * i];
    if (!mark) continue;
    const [x, y] = project(i);
    if (x < -20 || y < -20 || x > size.width + 20 || y > size.height + 20) continue;
    const key = `${rgba[4 * i]},${rgba[4 * i + 1]},${rgba[4 * i + 2]}|${mark === 2 ? 0.16 * state.opacity : state.opacity}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(`M${short(x)} ${short(y)}h0`);
  }
  return [...groups].map(([key, dots]) => {
    const [color, opacity] = key.split("|");
    return `<path d="${dots.join("")}" stroke="rgb(${color})" stroke-opacity="${opacity}" stroke-width="${short(panel.view.dotSize())}" stroke-linecap="round" fill="none"/>`;
  }).join("\n");
}

function pictureOfPoints({ panel, size }) {
  panel.view.drawNow();
  return `<image width="${short(size.width)}" height="${short(size.height)}" href="${panel.view.points.toDataURL("image/png")}"/>`;
}

function titleOf({ app, panel }) {
  return `${app.info.title}: ${app.mapOf(panel.map)?.words ?? app.mapOf(panel.map)?.label}`;
}

function headShapes(scene) {
  const { app, panel, ink } = scene;
  return [
    { kind: "text", x: 16, y: 17, text: titleOf(scene), size: 14, align: "left", color: ink.ink },
    { kind: "text", x: 16, y: 35, text: `${number(panel.n_shown)} of ${number(app.info.n_points)} points shown`, size: 11.500, weight: 400, align: "left", color: ink.soft },
  ];
}

function legendShapes({ app, state, data, size, ink }) {
  if (!data) return [];
  const x = size.width + 16;
  const title = { kind: "text", x, y: HEAD + 12, text: data.name, size: 12, align: "left", color: ink.ink };
  if (data.kind === "category") {
    const shown = data.labels.map((label, code) => ({ label, code })).filter(({ code }) => !state.hidden.includes(code)).slice(0, 28);
    return [title, ...shown.flatMap(({ label, code }, k) => [
      { kind: "ellipse", x: x + 5, y: HEAD + 34 + 18 * k, rx: 5, ry: 5, fill: categoryColor(code, app.theme()) },
      { kind: "text", x: x + 17, y: HEAD + 34 + 18 * k, text: label.slice(0, 20), size: 11.500, weight: 400, align: "left", color: ink.ink },
    ])];
  }
  const colors = scaleColors(data.scale, app.theme(), data.moreIsBetter);
  const bands = Array.from({ length: 40 }, (_, k) => ({ kind: "line", points: [[x, HEAD + 190 - 4 * k], [x + 14, HEAD + 190 - 4 * k], [x + 14, HEAD + 185.500 - 4 * k], [x, HEAD + 185.500 - 4 * k]], close: true, fill: scaleColor(colors, k / 39) }));
  return [title, ...bands,
    { kind: "text", x: x + 22, y: HEAD + 188, text: number(data.limits[0]), size: 11, weight: 400, align: "left", color: ink.soft },
    { kind: "text", x: x + 22, y: HEAD + 32, text: number(data.limits[1]), size: 11, weight: 400, align: "left", color: ink.soft }];
}

