// What lies over the points, as plain values: painted on a canvas to look at, written as SVG to keep.

import { cutOut, paintImage } from "./images.js";

const FRAME = 2; // pixels around an image

/** Paint shapes on a canvas. */
export function paintShapes(context, shapes) {
  for (const shape of shapes) {
    context.save();
    PAINTERS[shape.kind](context, shape);
    context.restore();
  }
}

const PAINTERS = {
  line(context, { points, color, width, dash, close, fill }) {
    context.beginPath();
    points.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    if (close) context.closePath();
    stroke(context, { color, width, dash, fill });
  },
  ellipse(context, { x, y, rx, ry, angle = 0, color, width, fill }) {
    context.beginPath();
    context.ellipse(x, y, rx, ry, angle, 0, 2 * Math.PI);
    stroke(context, { color, width, fill });
  },
  image(context, { x, y, width, height, sheet, point, color, alpha }) {
    context.globalAlpha = alpha;
    context.fillStyle = color;
    context.beginPath();
    context.roundRect(x - width / 2 - FRAME, y - height / 2 - FRAME, width + 2 * FRAME, height + 2 * FRAME, 2 * FRAME);
    context.fill();
    paintImage(context, sheet, point, [x - width / 2, y - height / 2, width, height]);
  },
  text(context, { x, y, text, size, weight = 600, color, halo, align = "center" }) {
    context.font = `${weight} ${size}px ${FONT}`;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3.5;
    context.strokeStyle = halo;
    if (halo) context.strokeText(text, x, y);
    context.fillStyle = color;
    context.fillText(text, x, y);
  },
};

function stroke(context, { color, width = 1, dash, fill }) {
  if (fill) {
    context.fillStyle = fill;
    context.fill();
  }
  if (!color) return;
  context.strokeStyle = color;
  context.lineWidth = width;
  context.lineCap = "round";
  context.lineJoin = "round";
  if (dash) context.setLineDash(dash);
  context.stroke();
}

export const FONT = 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** Write shapes as elements of an SVG picture. */
export function shapesToSVG(shapes) {
  return shapes.map((shape) => WRITERS[shape.kind](shape)).join("\n");
}

const WRITERS = {
  line({ points, color, width = 1, dash, close, fill }) {
    const d = points.map(([x, y], k) => `${k ? "L" : "M"}${short(x)} ${short(y)}`).join("") + (close ? "Z" : "");
    return `<path d="${d}"${paint(color, width, fill)}${dash ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`;
  },
  ellipse({ x, y, rx, ry, angle = 0, color, width = 1, fill }) {
    const turn = angle ? ` transform="rotate(${short((angle * 180) / Math.PI)} ${short(x)} ${short(y)})"` : "";
    return `<ellipse cx="${short(x)}" cy="${short(y)}" rx="${short(rx)}" ry="${short(ry)}"${turn}${paint(color, width, fill)}/>`;
  },
  image({ x, y, width, height, sheet, point, color, alpha }) {
    const [left, top] = [short(x - width / 2), short(y - height / 2)];
    const frame = `<rect x="${left - FRAME}" y="${top - FRAME}" width="${short(width) + 2 * FRAME}" height="${short(height) + 2 * FRAME}" rx="${2 * FRAME}" fill="${escaped(color)}"/>`;
    const picture = `<image x="${left}" y="${top}" width="${short(width)}" height="${short(height)}" href="${cutOut(sheet, point)}"/>`;
    return `<g opacity="${alpha}">${frame}${picture}</g>`;
  },
  text({ x, y, text, size, weight = 600, color, halo, align = "center" }) {
    const anchor = { center: "middle", left: "start", right: "end" }[align];
    const edge = halo ? ` stroke="${escaped(halo)}" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke"` : "";
    return `<text x="${short(x)}" y="${short(y)}" font-family="${escaped(FONT)}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" dominant-baseline="central" fill="${escaped(color)}"${edge}>${escaped(text)}</text>`;
  },
};

function paint(color, width, fill) {
  return ` fill="${escaped(fill ?? "none")}"${color ? ` stroke="${escaped(color)}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"` : ""}`;
}

/** Write text so that a picture cannot be more than a picture. */
export function escaped(text) {
  const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
  return String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "")
    .replace(/[&<>"']/g, (sign) => signs[sign]);
}

export function short(value) {
  return Math.round(value * 100) / 100;
}
