// Which point is here, and which are inside: a grid over the map, so that a million points answer at once.

const PER_CELL = 4;

/** Sort points into the cells of a grid. `places` is row by row with `q` coordinates. */
export function buildGrid(places, q, low, high) {
  const n = places.length / q;
  const cells = Math.max(1, Math.ceil(n / PER_CELL));
  const [width, height] = [high[0] - low[0] || 1, q > 1 ? high[1] - low[1] || 1 : 1];
  const columns = Math.min(2048, Math.max(1, Math.round(Math.sqrt((cells * width) / height))));
  const rows = Math.min(2048, Math.max(1, Math.ceil(cells / columns)));
  const grid = {
    places, q, columns, rows,
    x: low[0], y: q > 1 ? low[1] : 0,
    perX: columns / width, perY: rows / height,
  };
  return Object.assign(grid, sortIntoCells(grid, n));
}

function sortIntoCells(grid, n) {
  const starts = new Uint32Array(grid.columns * grid.rows + 1);
  const cell = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    cell[i] = cellOf(grid, grid.places[i * grid.q], grid.q > 1 ? grid.places[i * grid.q + 1] : 0);
    if (cell[i] >= 0) starts[cell[i] + 1]++;
  }
  for (let c = 0; c < starts.length - 1; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) if (cell[i] >= 0) order[next[cell[i]]++] = i;
  return { starts, order };
}

function cellOf(grid, x, y) {
  if (x !== x || y !== y) return -1;
  return along(y, grid.y, grid.perY, grid.rows) * grid.columns + along(x, grid.x, grid.perX, grid.columns);
}

function along(value, low, per, count) {
  const k = Math.floor((value - low) * per);
  return k < 0 ? 0 : k >= count ? count - 1 : k;
}

/** Find the nearest accepted point within `radius` of a place, or -1. */
export function nearestPoint(grid, x, y, radius, accept) {
  let best = -1;
  let limit = radius * radius;
  eachInBox(grid, x - radius, y - radius, x + radius, y + radius, (i, px, py) => {
    const squared = (px - x) ** 2 + (py - y) ** 2;
    if (squared <= limit && accept(i)) {
      limit = squared;
      best = i;
    }
  });
  return best;
}

/** Call `visit(point, x, y)` for the points of the cells that a box touches. */
export function eachInBox(grid, x0, y0, x1, y1, visit) {
  const { places, q, starts, order, columns } = grid;
  const [c0, c1] = [along(x0, grid.x, grid.perX, columns), along(x1, grid.x, grid.perX, columns)];
  const [r0, r1] = [along(y0, grid.y, grid.perY, grid.rows), along(y1, grid.y, grid.perY, grid.rows)];
  for (let row = r0; row <= r1; row++) {
    const end = starts[row * columns + c1 + 1];
    for (let k = starts[row * columns + c0]; k < end; k++) {
      const i = order[k];
      visit(i, places[i * q], q > 1 ? places[i * q + 1] : 0);
    }
  }
}

/** Find the accepted points inside a polygon of the map, by its grid. */
export function insidePolygon(grid, polygon, accept) {
  const xs = polygon.map((corner) => corner[0]);
  const ys = polygon.map((corner) => corner[1]);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const found = [];
  eachInBox(grid, x0, y0, x1, y1, (i, x, y) => {
    if (x >= x0 && x <= x1 && y >= y0 && y <= y1 && accept(i) && contains(xs, ys, x, y)) found.push(i);
  });
  return found;
}

/** Find the accepted points inside a polygon of pixels; `pixels` holds two numbers per point. */
export function insideOnScreen(pixels, polygon, accept) {
  const xs = polygon.map((corner) => corner[0]);
  const ys = polygon.map((corner) => corner[1]);
  const found = [];
  for (let i = 0; 2 * i < pixels.length; i++) {
    if (accept(i) && contains(xs, ys, pixels[2 * i], pixels[2 * i + 1])) found.push(i);
  }
  return found;
}

/** Tell whether a place is inside, by the even-odd rule. */
export function contains(xs, ys, x, y) {
  let inside = false;
  for (let a = 0, b = xs.length - 1; a < xs.length; b = a++) {
    if (ys[a] > y !== ys[b] > y && x < ((xs[b] - xs[a]) * (y - ys[a])) / (ys[b] - ys[a]) + xs[a]) {
      inside = !inside;
    }
  }
  return inside;
}
