// Where one looks from: {x, y, z, span, yaw, pitch}; span is how much of the map the shorter side of the view shows.

const MARGIN = 1.12; // of the view around the points
const EYE = 2.4; // spans between the eye and the center, in three dimensions

/** Look at all of a box. */
export function fitCamera(low, high, size) {
  const extent = low.map((value, axis) => high[axis] - value);
  const ratio = size.width / size.height;
  const needed = low.length > 2
    ? 0.9 * Math.hypot(...extent) // nearly any rotation fits, and corners are seldom full
    : Math.max(extent[0] / Math.max(ratio, 1), (extent[1] || extent[0]) / Math.max(1 / ratio, 1));
  const [x, y, z] = [0, 1, 2].map((axis) => (low.length > axis ? (low[axis] + high[axis]) / 2 : 0));
  return { x, y, z, span: needed * MARGIN || 1, yaw: 0.6, pitch: 0.45 };
}

/** Bind a camera to a view of some size: matrix, pixels of places, places of pixels. */
export function lens(camera, size, dimensions) {
  const unit = Math.min(size.width, size.height) / camera.span; // pixels
  return dimensions === 3 ? solidLens(camera, size, unit) : flatLens(camera, size, unit);
}

function flatLens(camera, { width, height }, unit) {
  const [sx, sy] = [(2 * unit) / width, (2 * unit) / height];
  return {
    unit,
    matrix: [sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, 0, 0, -camera.x * sx, -camera.y * sy, 0, 1],
    project: (x, y) => [width / 2 + (x - camera.x) * unit, height / 2 - (y - camera.y) * unit, 0],
    place: (px, py) => [camera.x + (px - width / 2) / unit, camera.y - (py - height / 2) / unit],
    pan: (dx, dy) => ({ ...camera, x: camera.x - dx / unit, y: camera.y + dy / unit }),
    zoom: (factor, px, py) => zoomed(camera, factor, (px - width / 2) / unit, -(py - height / 2) / unit),
  };
}

function zoomed(camera, factor, dx, dy) {
  const keep = 1 - 1 / factor; // the place under the pointer stays there
  return { ...camera, x: camera.x + dx * keep, y: camera.y + dy * keep, span: camera.span / factor };
}

function solidLens(camera, { width, height }, unit) {
  const r = rotation(camera.yaw, camera.pitch);
  const d = EYE * camera.span;
  const turn = (x, y, z) => {
    const [a, b, c] = [x - camera.x, y - camera.y, z - camera.z];
    return [0, 1, 2].map((row) => r[row][0] * a + r[row][1] * b + r[row][2] * c);
  };
  return {
    unit,
    matrix: solidMatrix(r, d, camera, (2 * unit) / width, (2 * unit) / height),
    project(x, y, z) {
      const [a, b, c] = turn(x, y, z);
      const nearer = d / (d - c);
      return [width / 2 + a * unit * nearer, height / 2 - b * unit * nearer, c];
    },
    place: () => null, // a pixel is a line in space
    pan: (dx, dy) => shifted(camera, r, -dx / unit, dy / unit),
    zoom: (factor) => ({ ...camera, span: camera.span / factor }),
    turn: (dx, dy) => ({
      ...camera,
      yaw: camera.yaw + dx * 0.008,
      pitch: Math.min(Math.max(camera.pitch + dy * 0.008, -1.55), 1.55),
    }),
  };
}

function rotation(yaw, pitch) {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  // x to the right, y up at no rotation; yaw turns about y, pitch tips towards the eye
  return [
    [cy, 0, sy],
    [sp * sy, cp, -sp * cy],
    [-cp * sy, sp, cp * cy],
  ];
}

function shifted(camera, r, dx, dy) {
  const [x, y, z] = [0, 1, 2].map((axis) => r[0][axis] * dx + r[1][axis] * dy);
  return { ...camera, x: camera.x + x, y: camera.y + y, z: camera.z + z };
}

function solidMatrix(r, d, camera, sx, sy) {
  const [near, far] = [0.05 * d, 4 * d];
  const [a, b] = [(far + near) / (far - near), (-2 * far * near) / (far - near)];
  const center = [camera.x, camera.y, camera.z];
  const moved = r.map((row) => -row.reduce((sum, value, axis) => sum + value * center[axis], 0));
  const rows = [
    [...r[0].map((value) => value * sx * d), moved[0] * sx * d],
    [...r[1].map((value) => value * sy * d), moved[1] * sy * d],
    [...r[2].map((value) => -value * a), (d - moved[2]) * a + b],
    [...r[2].map((value) => -value), d - moved[2]],
  ];
  return [0, 1, 2, 3].flatMap((column) => rows.map((row) => row[column]));
}
