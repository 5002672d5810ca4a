// What the map says about itself, drawn over its points: neighbours, paths, ellipses, names, new rows.

import { sizeOn } from "./images.js";
import { eachInBox } from "./picking.js";

export const DIAMONDS = 5000; // rows of a dropped file that are drawn; the tab of rows says so

export const INKS = {
  light: { ink: "#1d2329", soft: "#5b6570", paper: "#ffffff", lost: "#0a5c94", wrong: "#b3261e", path: "#0072b2", doubt: "#c4170c", fresh: "#7a2fa8" },
  dark: { ink: "#eef1f4", soft: "#9aa5b0", paper: "#14181c", lost: "#6cbdf0", wrong: "#ff7b6b", path: "#6cbdf0", doubt: "#ff5a47", fresh: "#cf9bf2" },
};

/** Put together all shapes of a scene. `at(point)` are the pixels of a point. */
export function overlayShapes(scene) {
  return [
    ...frameShapes(scene),
    ...imageShapes(scene),
    ...ellipseShapes(scene),
    ...litShapes(scene),
    ...lostShapes(scene),
    ...nameShapes(scene), // over lines, under marks
    ...pathShapes(scene),
    ...neighborShapes(scene),
    ...freshShapes(scene),
    ...trailShapes(scene),
    ...cursorShapes(scene),
  ];
}

/** The edges of the box of a map in space: what is near, what is far. */
function frameShapes({ solid, bounds, lens, ink }) {
  if (!solid || !bounds) return [];
  const corner = (k) => lens.project(...[0, 1, 2].map((axis) => (k & (1 << axis) ? bounds.high : bounds.low)[axis]));
  const edges = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [1, 2, 4].filter((bit) => !(k & bit)).map((bit) => [corner(k), corner(k | bit)]));
  return edges.map(([from, to]) => ({ kind: "line", points: [from, to], color: faded(ink.soft, 0.28), width: 1 }));
}

/** Images at their places, framed in the colours of their points; beside a selection they fade. */
function imageShapes({ sheet, pictured, at, view, rgba, marks }) {
  if (!sheet) return [];
  const [width, height] = sizeOn(sheet, view);
  return pictured.map((point) => {
    const [x, y] = at(point);
    const color = `rgb(${rgba.slice(4 * point, 4 * point + 3).join(" ")})`;
    return { kind: "image", x, y, width, height, sheet, point, color, alpha: marks[4 * point] === 2 ? 0.2 : 1 };
  });
}

function ring(at, r, color, width = 2, fill = null) {
  return { kind: "ellipse", x: at[0], y: at[1], rx: r, ry: r, color, width, fill };
}

/** Lines to the true neighbours that the map lost. */
function lostShapes({ neighbors, at, ink }) {
  if (!neighbors) return [];
  const center = at(neighbors.point);
  return neighbors.lost.flatMap((other) => {
    const points = [center, at(other)];
    return [
      { kind: "line", points, color: ink.paper, width: 3.4 },
      { kind: "line", points, color: ink.lost, width: 1.4 },
    ];
  });
}

/** Rings on true neighbours, crosses on those that only the map made. */
function neighborShapes({ neighbors, at, ink, size }) {
  if (!neighbors) return [];
  const center = at(neighbors.point);
  const r = Math.max(size / 2 + 3, 5);
  return [
    ...neighbors.lost.map((other) => ring(at(other), r, ink.lost, 2)),
    ...neighbors.kept.map((other) => ring(at(other), r - 1, ink.ink, 1.4)),
    ...neighbors.false.flatMap((other) => cross(at(other), r, ink)),
    ring(center, r + 3.5, ink.paper, 5),
    ring(center, r + 3.5, ink.ink, 2.5),
  ];
}

function cross([x, y], r, ink) {
  const strokes = [
    [[x - r, y - r], [x + r, y + r]],
    [[x - r, y + r], [x + r, y - r]],
  ];
  return [
    ...strokes.map((points) => ({ kind: "line", points, color: ink.paper, width: 4.4 })),
    ...strokes.map((points) => ({ kind: "line", points, color: ink.wrong, width: 2.2 })),
  ];
}

/** The geodesic, with the edges that may be short circuits in red, beside the straight line on the map. */
function pathShapes({ path, ends, at, ink }) {
  if (!path) return ends.map((point) => ring(at(point), 8, ink.path, 2.5));
  const corners = path.points.map(at);
  const [first, last] = [at(ends[0]), at(ends[1])];
  const shapes = [{ kind: "line", points: [first, last], color: ink.soft, width: 1.4, dash: [3, 5] }];
  if (corners.length > 1) shapes.push({ kind: "line", points: corners, color: ink.paper, width: 5 });
  for (let k = 0; k + 1 < corners.length; k++) {
    const doubtful = path.doubtful.includes(k);
    shapes.push({ kind: "line", points: [corners[k], corners[k + 1]], color: doubtful ? ink.doubt : ink.path, width: doubtful ? 3.6 : 2.4 });
  }
  corners.forEach((place) => shapes.push(ring(place, 2.2, ink.path, 1, ink.paper)));
  return [...shapes, ring(first, 8, ink.path, 2.5), ring(last, 8, ink.path, 2.5)];
}

/** Pairs or edges that were brushed in a chart. */
function litShapes({ lit, at, ink }) {
  if (!lit) return [];
  const alpha = Math.max(0.06, Math.min(0.8, 60 / lit.pairs.length));
  return lit.pairs.map(([one, other, doubtful]) => ({
    kind: "line",
    points: [at(one), at(other)],
    color: faded(doubtful ? ink.doubt : ink.path, doubtful ? Math.max(alpha, 0.6) : alpha),
    width: doubtful ? 2 : 1.1,
  }));
}

const APART = 34; // pixels between the centers of ellipses
const TYPICAL = 11; // pixels that the radius of a typical one has at least
const LONGEST = 42; // pixels of half of an ellipse, above which it would hide others

/** Images of small circles of the data; where there is no room only one of many is drawn. */
function ellipseShapes({ ellipses, grid, lens, size, shown, at, view, ink, solid }) {
  if (!ellipses || solid || !grid) return [];
  const taken = new Set();
  const shapes = [];
  const [x0, y0] = lens.place(-40, view.height + 40);
  const [x1, y1] = lens.place(view.width + 40, -40);
  const pixels = Math.max(ellipses.scale * lens.unit, TYPICAL / ellipses.typical); // of a circle of the data
  eachInBox(grid, x0, y0, x1, y1, (point) => {
    if (!shown(point)) return;
    const [x, y] = at(point);
    const cell = Math.round(x / APART) * 8192 + Math.round(y / APART);
    if (taken.has(cell)) return;
    taken.add(cell);
    const shape = ellipseOf(ellipses, point, x, y, pixels, ink);
    if (shape) shapes.push(shape);
  });
  return shapes;
}

function ellipseOf({ arrays }, point, x, y, pixels, ink) {
  const [, q, d] = arrays.axes.shape;
  const at = point * q * d;
  const axes = Array.from({ length: d }, (_, j) => [arrays.axes[at + j], arrays.axes[at + d + j]]); // axis j is a column
  const [major, minor = [0, 0]] = axes.sort((a, b) => Math.hypot(...b) - Math.hypot(...a));
  const [long, wide] = [Math.hypot(...major) * pixels, Math.hypot(...minor) * pixels];
  if (!(long > 0)) return null;
  const cut = Math.min(1, LONGEST / long); // its form is kept
  const [rx, ry] = [long * cut, Math.max(wide * cut, 0.4)];
  const strange = Math.abs(arrays.size[point]) > 0.7 || rx > 3 * ry; // lengths or areas off by a factor of two
  const color = strange ? ink.wrong : ink.ink;
  return { kind: "ellipse", x, y, rx, ry, angle: -Math.atan2(major[1], major[0]), color: faded(color, 0.75), width: 1.2, fill: faded(color, 0.07) };
}

const CROWDED = 300; // pixels of a map on which names would leave no room for images; frames have their colours

/** Names of categories where they are densest, each only where it has room. */
export function nameShapes({ names, lens, ink, view, turning, sheet }) {
  if (!names || turning || (sheet && Math.min(view.width, view.height) < CROWDED)) return [];
  const taken = [];
  const shapes = [];
  for (const { text, place, count } of names) {
    const [middle, y] = lens.project(...place);
    const size = count > 200 ? 14 : 12.5;
    const half = text.length * size * 0.31 + 5;
    if (middle < 0 || y < 0 || middle > view.width || y > view.height) continue;
    const x = 2 * half < view.width ? Math.min(Math.max(middle, half), view.width - half) : middle; // not cut at the edge
    const box = [x - half, y - size * 0.75, x + half, y + size * 0.75];
    if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
    taken.push(box);
    shapes.push({ kind: "text", x, y, text, size, color: ink.ink, halo: ink.paper, box });
  }
  return shapes;
}

/** Rows of a dropped file: diamonds, with a ring where all data are far. */
function freshShapes({ fresh, lens, ink }) {
  if (!fresh) return [];
  const { places, far } = fresh.arrays;
  const q = places.shape[1];
  const shapes = [];
  for (let i = 0; i < far.length && i < DIAMONDS; i++) {
    const [x, y] = lens.project(places[i * q], q > 1 ? places[i * q + 1] : 0, q > 2 ? places[i * q + 2] : 0);
    const points = [[x, y - 6], [x + 6, y], [x, y + 6], [x - 6, y]];
    shapes.push({ kind: "line", points, close: true, color: ink.paper, width: 1.6, fill: far[i] ? ink.doubt : ink.fresh });
    if (far[i]) shapes.push(ring([x, y], 10, ink.doubt, 1.6));
  }
  return shapes;
}

function trailShapes({ trail, lens, ink }) {
  if (!trail) return [];
  const points = trail.places.map((place) => lens.project(place[0], place[1] ?? 0, 0));
  const shapes = [
    { kind: "line", points, color: ink.paper, width: 5 },
    { kind: "line", points, color: ink.fresh, width: 2.4 },
  ];
  const at = points[Math.min(trail.at ?? 0, points.length - 1)];
  return at ? [...shapes, ring(at, 6, ink.paper, 3, ink.fresh)] : shapes;
}

function cursorShapes({ hover, linked = -1, cursor, place, band, at, ink, size, lens }) {
  const shapes = [];
  if (linked >= 0) shapes.push(ring(at(linked), Math.max(size / 2 + 4, 7), ink.paper, 4), ring(at(linked), Math.max(size / 2 + 4, 7), ink.ink, 1.6));
  if (hover >= 0) shapes.push(ring(at(hover), Math.max(size / 2 + 2.5, 5), ink.ink, 1.6));
  if (cursor >= 0) shapes.push(ring(at(cursor), 11, ink.paper, 5), { ...ring(at(cursor), 11, ink.path, 2) });
  if (place) {
    const [x, y] = lens.project(place[0], place[1] ?? 0, 0);
    shapes.push(ring([x, y], 5, ink.fresh, 2));
  }
  if (band && band.length > 1) shapes.push({ kind: "line", points: band, close: true, color: ink.path, width: 1.5, dash: [5, 4], fill: faded(ink.path, 0.08) });
  return shapes;
}

function faded(hex, alpha) {
  return hex + Math.round(alpha * 255).toString(16).padStart(2, "0");
}

const CELLS = 14; // of the coarse grid, along each axis

/** Find where each category is densest on a map: the middle of its fullest cell of a coarse grid. */
export function namesOf({ labels, codes }, { arrays: { places }, q, low, high }, shown) {
  const named = Math.min(labels.length, 40);
  const axes = Math.min(q, 3);
  const per = CELLS ** axes;
  const counts = new Uint32Array(named * per);
  const cellOf = (i) => {
    let cell = 0;
    for (let axis = 0; axis < axes; axis++) {
      const share = (places[i * q + axis] - low[axis]) / (high[axis] - low[axis] || 1);
      cell = cell * CELLS + Math.min(CELLS - 1, Math.max(0, Math.floor(CELLS * share)));
    }
    return cell;
  };
  const counted = (i) => codes[i] >= 0 && codes[i] < named && shown[i];
  for (let i = 0; i < codes.length; i++) if (counted(i)) counts[codes[i] * per + cellOf(i)]++;
  const found = Array.from({ length: named }, (_, code) => fullest(counts.subarray(code * per, (code + 1) * per)));
  const sums = Array.from({ length: named }, () => [0, 0, 0]);
  for (let i = 0; i < codes.length; i++) {
    if (!counted(i) || cellOf(i) !== found[codes[i]].cell) continue;
    for (let axis = 0; axis < axes; axis++) sums[codes[i]][axis] += places[i * q + axis];
  }
  return found
    .map(({ total, most }, code) => ({ text: labels[code], count: total, place: sums[code].map((sum) => sum / most) }))
    .filter(({ count, text }) => count && text.length < 40)
    .sort((one, other) => other.count - one.count);
}

function fullest(counts) {
  const found = { cell: 0, most: 0, total: 0 };
  counts.forEach((count, cell) => {
    found.total += count;
    if (count > found.most) Object.assign(found, { cell, most: count });
  });
  return found;
}
