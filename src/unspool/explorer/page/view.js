// One map: its points, what is drawn over them, and the hand on it.

import { fitCamera, lens as lensOf } from "./camera.js";
import { h, perFrame } from "./dom.js";
import { handle } from "./hand.js";
import { chooseImages } from "./images.js";
import { INKS, nameShapes, overlayShapes } from "./overlay.js";
import { buildGrid, insideOnScreen, insidePolygon, nearestPoint } from "./picking.js";
import { createScatter } from "./scatter.js";
import { paintShapes } from "./shapes.js";

const MORPH = 900; // ms
const REACH = 14; // pixels within which a point is meant
const FINE = 300_000; // points above which a pixel of the screen is enough

/** Make the view of a map. `act` is told what the hand does: hover, click, lasso, camera, place, trail. */
export function createView(act) {
  const scatter = createScatter();
  const points = scatter.canvas;
  const over = h("canvas", { class: "over" });
  const stage = h("div", { class: "stage", tabindex: 0, role: "application", "aria-roledescription": "map" }, points, over);
  const size = { width: 1, height: 1 };
  const own = { places: null, from: null, share: 1, camera: null, chosen: null, scene: {}, hover: -1, cursor: -1, look: null, screen: null, animation: 0, stale: true, pictured: [], chosenImages: false };
  const draw = perFrame(() => drawNow());

  const view = {
    stage,
    size,
    /** Show the places of a map; `animate` moves the points there. */
    setPlaces(frame, animate) {
      const next = { places: frame.arrays.places, q: frame.q, low: frame.low, high: frame.high };
      const start = own.places ?? next;
      const movable = animate && start.places.length / start.q === next.places.length / next.q;
      own.grid = null;
      moved();
      own.from = movable ? start : next;
      own.places = next;
      scatter.move(own.from, next);
      cancelAnimationFrame(own.animation);
      if (movable) glide(own.camera ?? aim());
      else Object.assign(own, { share: 1, camera: aim() });
      draw();
    },
    setLook(look) {
      const before = own.look;
      own.look = look;
      if (before?.painted !== look.painted) scatter.paint(look.painted.rgba);
      if (before?.marks !== look.marks) scatter.mark(look.marks);
      if (before?.selection !== look.selection) scatter.choose(look.selection);
      own.stale ||= ["painted", "marks", "selection", "size", "opacity"].some((part) => before?.[part] !== look[part]);
      if (before?.marks !== look.marks) own.chosenImages = false;
      draw();
    },
    setScene(scene) {
      if (scene.dimensions && scene.dimensions !== own.scene.dimensions) moved();
      if (["sheet", "names"].some((part) => part in scene && scene[part] !== own.scene[part])) own.chosenImages = false;
      own.scene = { ...own.scene, ...scene };
      draw();
    },
    /** Look from a camera, or at everything where there is none. */
    setCamera(camera) {
      own.chosen = camera;
      if (own.places) own.camera = camera ?? fitCamera(own.places.low, own.places.high, size);
      moved();
      draw();
    },
    /** Tell from where some points fill the view. */
    cameraOf(chosen) {
      const { places, q } = own.places;
      const axes = [0, 1, 2].slice(0, q);
      const at = (axis) => chosen.map((point) => places[point * q + axis]).filter((value) => !Number.isNaN(value));
      const [low, high] = [axes.map((axis) => Math.min(...at(axis))), axes.map((axis) => Math.max(...at(axis)))];
      const { yaw, pitch } = own.camera;
      const fitted = fitCamera(low, high, size);
      return { ...fitted, span: fitted.span * 1.25, yaw, pitch };
    },
    camera: () => own.camera,
    grid,
    shapes,
    lens,
    draw,
    ready: () => own.share === 1,
    dotSize,
    /** Tell the pixels of points, for a picture. */
    projector() {
      const through = lens();
      return (point) => at(point, through);
    },
    /** Draw at once, for a picture or a measurement. */
    drawNow() {
      own.stale = true;
      drawNow();
      scatter.finish();
    },
    points,
    over,
    destroy() {
      observer.disconnect();
      cancelAnimationFrame(own.animation);
      scatter.destroy();
    },
  };

  const hand = handle(stage, {
    tool: () => own.scene.tool,
    solid,
    lens,
    pick,
    move(camera, settle) {
      own.chosen = own.camera = camera;
      moved();
      draw();
      if (settle) act.camera(camera);
    },
    fit() {
      view.setCamera(null);
      act.camera(null);
    },
    band(corners) {
      own.band = corners;
      draw();
    },
    enclosed,
    cursor: () => own.cursor,
    step(direction) {
      own.cursor = neighborTowards(direction);
      act.hover(own.cursor, own.cursor < 0 ? null : at(own.cursor));
      draw();
    },
    leaveCursor() {
      own.cursor = -1;
      draw();
    },
    hover(point, pixel) {
      if (point !== own.hover) {
        own.hover = point;
        draw();
      }
      act.hover(point, pixel);
    },
    click: act.click,
    lasso: act.lasso,
    place: act.place,
    trail: act.trail,
  });

  const observer = new ResizeObserver(resize);
  observer.observe(stage);
  return view;

  function resize() {
    const box = stage.getBoundingClientRect();
    if (!box.width || !box.height) return;
    Object.assign(size, { width: box.width, height: box.height });
    moved();
    if (own.places && !own.chosen) own.camera = fitCamera(own.places.low, own.places.high, size);
    drawNow(); // at once: a resized canvas is empty
  }

  /** Dots are smaller on a small map, or they would hide it. */
  function dotSize() {
    return own.look.size * Math.min(1, Math.max(0.6, Math.sqrt(Math.min(size.width, size.height) / 560)));
  }

  /** What was computed for another camera, or for other places, is void. */
  function moved() {
    own.screen = null;
    own.stale = true;
    own.chosenImages = false;
  }

  function solid() {
    return own.scene.dimensions === 3 && own.places?.q === 3;
  }

  function lens() {
    return lensOf(own.camera, size, solid() ? 3 : 2);
  }

  /** Where the camera belongs: where one has put it, else where everything is seen. */
  function aim() {
    return own.chosen ?? fitCamera(own.places.low, own.places.high, size);
  }

  function glide(before) {
    const began = performance.now();
    const step = (now) => {
      const part = Math.min((now - began) / MORPH, 1);
      own.share = part * part * (3 - 2 * part);
      own.camera = between(before, aim(), own.share); // the view may be resized on the way
      moved();
      drawNow();
      if (part < 1) own.animation = requestAnimationFrame(step);
    };
    own.share = 0;
    own.animation = requestAnimationFrame(step);
  }

  function at(point, through = lens()) {
    const [one, other, share] = [own.from, own.places, own.share];
    const mixed = (axis) => {
      const end = axis < other.q ? other.places[point * other.q + axis] : 0;
      if (share === 1) return end;
      return (1 - share) * (axis < one.q ? one.places[point * one.q + axis] : 0) + share * end;
    };
    return through.project(mixed(0), mixed(1), mixed(2));
  }

  function drawNow() {
    if (!own.places || !own.look || !own.camera) return;
    fitCanvas(over, size, false);
    if (own.stale) drawPoints(); // a pointer that moves changes only what lies over them
    const context = over.getContext("2d");
    const scale = over.width / size.width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    paintShapes(context, shapes());
  }

  function drawPoints() {
    const pixels = fitCanvas(points, size, own.places.places.length > FINE * own.places.q);
    scatter.draw({
      matrix: lens().matrix, share: own.share, size: dotSize(), opacity: own.look.opacity,
      solid: solid(), eye: 2.4 * own.camera.span, pixels,
    });
    own.stale = false;
  }

  /** Which points show their image: selected ones first, then those that did before; not under names. */
  function pictured() {
    if (!own.scene.sheet) return [];
    if (own.chosenImages || own.share < 1) return own.pictured; // while points move, their images move along
    own.chosenImages = true;
    const through = lens();
    const names = nameShapes({ ...own.scene, lens: through, ink: INKS.light, view: size });
    own.pictured = chooseImages(own.scene.sheet, {
      first: [...own.look.selection, ...own.pictured], apart: names.map(({ box }) => box),
      at: (point) => at(point, through), shown, view: size,
    });
    return own.pictured;
  }

  function shapes() {
    const through = lens();
    return overlayShapes({
      ends: [], ...own.scene,
      pictured: pictured(), rgba: own.look.painted.rgba, marks: own.look.marks,
      at: (point) => at(point, through),
      lens: through, bounds: own.places, view: size, size: dotSize(), solid: solid(),
      grid: own.scene.ellipses ? grid() : null,
      shown, ink: INKS[own.scene.theme ?? "light"],
      hover: own.hover, cursor: own.cursor, band: own.band,
    });
  }

  function shown(point) {
    return own.look.marks[4 * point] !== 0;
  }

  function grid() {
    own.grid ??= buildGrid(own.places.places, own.places.q, own.places.low, own.places.high);
    return own.grid;
  }

  /** Pixels of all points, kept until the camera moves. */
  function screen() {
    if (own.screen) return own.screen;
    const through = lens();
    const { places, q } = own.places;
    const n = places.length / q;
    own.screen = { pixels: new Float32Array(2 * n), depth: new Float32Array(n) };
    for (let i = 0; i < n; i++) {
      const [x, y, z] = through.project(places[i * q], q > 1 ? places[i * q + 1] : 0, q > 2 ? places[i * q + 2] : 0);
      own.screen.pixels[2 * i] = x;
      own.screen.pixels[2 * i + 1] = y;
      own.screen.depth[i] = z;
    }
    return own.screen;
  }

  function pick(x, y, reach = REACH) {
    if (!own.places || !own.look) return -1;
    if (solid()) return pickInSpace(x, y, reach);
    const [u, v] = lens().place(x, y);
    return nearestPoint(grid(), u, v, reach / lens().unit, shown);
  }

  function pickInSpace(x, y, reach) {
    const { pixels, depth } = screen();
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < depth.length; i++) {
      const away = Math.hypot(pixels[2 * i] - x, pixels[2 * i + 1] - y);
      if (away > reach || !shown(i)) continue;
      const rank = away - (depth[i] / own.camera.span) * reach; // the one in front, if two are as near
      if (rank < least) [best, least] = [i, rank];
    }
    return best;
  }

  function enclosed(corners) {
    if (solid()) return insideOnScreen(screen().pixels, corners, shown);
    const through = lens();
    return insidePolygon(grid(), corners.map(([x, y]) => through.place(x, y)), shown);
  }

  /** The point that the keyboard's cursor goes to: nearest in that direction, sideways counts double. */
  function neighborTowards([dx, dy]) {
    const { pixels } = screen();
    const from = own.cursor < 0 ? [size.width / 2, size.height / 2] : at(own.cursor);
    let best = own.cursor;
    let least = Infinity;
    for (let i = 0; 2 * i < pixels.length; i++) {
      const [x, y] = [pixels[2 * i] - from[0], pixels[2 * i + 1] - from[1]];
      const ahead = own.cursor < 0 ? Math.hypot(x, y) : x * dx + y * dy;
      const aside = own.cursor < 0 ? 0 : Math.abs(x * dy - y * dx);
      if (i === own.cursor || ahead <= (own.cursor < 0 ? -1 : 2) || !shown(i)) continue;
      if (ahead + 2 * aside < least) [best, least] = [i, ahead + 2 * aside];
    }
    return best;
  }
}

function fitCanvas(canvas, size, coarse) {
  const pixels = coarse ? 1 : Math.min(devicePixelRatio || 1, 2);
  const [width, height] = [Math.round(size.width * pixels), Math.round(size.height * pixels)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  return pixels;
}

function between(one, other, share) {
  const mixed = {};
  for (const key of Object.keys(other)) mixed[key] = (1 - share) * one[key] + share * other[key];
  return mixed;
}
