// Images of rows on the map: one sheet holds them, and where there is room they lie at their points.

const [SMALLEST, LARGEST] = [22, 54]; // pixels of the longer side, by the size of the map
const SHARE = 0.08; // of the shorter side of the map
const GAP = 5; // pixels between two images, in which their frames have room

/** Load the sheet: the image that it is, and where on it the picture of a point is. */
export async function loadSheet(source) {
  const { width, height, columns, type, arrays } = await source.sheet();
  const image = await createImageBitmap(new Blob([arrays.image], { type }));
  const corner = (k) => [width * (k % columns), height * Math.floor(k / columns)];
  return { image, width, height, corners: new Map(Array.from(arrays.points, (point, k) => [point, corner(k)])) };
}

/** Tell how large an image is on a map. */
export function sizeOn({ width, height }, view) {
  const longer = Math.min(LARGEST, Math.max(SMALLEST, SHARE * Math.min(view.width, view.height)));
  const scale = longer / Math.max(width, height);
  return [scale * width, scale * height];
}

/** Choose the points that show their image, `first` ones first: none covers another, or a box of `apart`. */
export function chooseImages(sheet, { first, apart, at, shown, view }) {
  const [width, height] = sizeOn(sheet, view).map((side) => side + GAP);
  const covers = (x, y) => apart.some(([left, top, right, bottom]) =>
    x + width / 2 > left && x - width / 2 < right && y + height / 2 > top && y - height / 2 < bottom);
  const taken = new Map(); // by cells of the screen as large as an image: others in the way are next to it
  const free = (x, y, i, j) => {
    for (let a = i - 1; a <= i + 1; a++) {
      for (let b = j - 1; b <= j + 1; b++) {
        const other = taken.get(`${a} ${b}`);
        if (other && Math.abs(other[0] - x) < width && Math.abs(other[1] - y) < height) return false;
      }
    }
    return true;
  };
  const chosen = [];
  for (const point of new Set([...first, ...sheet.corners.keys()])) {
    if (!sheet.corners.has(point) || !shown(point)) continue;
    const [x, y] = at(point);
    if (!(x > -width && y > -height && x < view.width + width && y < view.height + height)) continue;
    const [i, j] = [Math.floor(x / width), Math.floor(y / height)];
    if (covers(x, y) || !free(x, y, i, j)) continue;
    taken.set(`${i} ${j}`, [x, y]);
    chosen.push(point);
  }
  return chosen;
}

/** Paint the image of a point into a box; pixels that are enlarged stay squares. */
export function paintImage(context, { image, width, height, corners }, point, [left, top, wide, high]) {
  const scale = context.getTransform().a * (wide / width);
  context.imageSmoothingEnabled = scale < 1.5;
  context.imageSmoothingQuality = "high";
  context.drawImage(image, ...corners.get(point), width, height, left, top, wide, high);
}

/** Give the image of a point as an address that holds it, null where the sheet has none. */
export function cutOut(sheet, point) {
  if (!sheet.corners.has(point)) return null;
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: sheet.width, height: sheet.height });
  paintImage(canvas.getContext("2d"), sheet, point, [0, 0, sheet.width, sheet.height]);
  return canvas.toDataURL("image/png");
}
