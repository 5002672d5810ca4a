// The maps side by side: the same colours, selection and point on all of them.

import { paintPoints } from "./color.js";
import { h, number, put, scoreText } from "./dom.js";
import { namesOf } from "./overlay.js";
import { createView } from "./view.js";

const HEAD = 44; // pixels of the line over a map
const NARROWEST = 150; // pixels of a map
const LIT = 2500; // pairs that are drawn at most; the count says of how many

/** Make the board. `app` is what the parts of the page share. */
export function createBoard(app) {
  const element = h("div", { class: "board" });
  const panels = [];
  const observer = new ResizeObserver(() => layOut());
  observer.observe(element);
  let turn = 0; // changes overtake each other; only the latest counts

  const board = {
    element,
    panels,
    drawn: Promise.resolve(), // when all that was last asked for is on the maps
    refresh: (state, previous) => (board.drawn = refresh(state, previous)),
    panelOf: (map) => panels.find((panel) => panel.map === map),
    active: () => panels.find((panel) => panel.map === app.store.get().active) ?? panels[0],
    /** Show something that is not part of the state: dropped rows, a trail, a place. */
    setScene(scene, map = null) {
      for (const panel of panels) if (!map || panel.map === map) panel.view.setScene(scene);
    },
    destroy() {
      observer.disconnect();
      panels.splice(0).forEach((panel) => panel.view.destroy());
    },
  };
  return board;

  /** As many columns as leave every map the most room: maps are about as high as wide. */
  function layOut() {
    const { width, height } = element.getBoundingClientRect();
    const room = (columns) => Math.min(width / columns, height / Math.ceil(panels.length / columns) - HEAD);
    const choices = panels.map((_, k) => k + 1).filter((columns) => width / columns >= NARROWEST || columns === 1);
    const best = choices.reduce((one, other) => (room(other) > room(one) ? other : one), 1);
    element.style.setProperty("--columns", best);
    element.style.setProperty("--rest", best - ((panels.length - 1) % best)); // no empty place at the end
    element.dataset.columns = best;
  }

  async function refresh(state, previous) {
    const now = ++turn;
    reconcile(state);
    try {
      await Promise.all(panels.map((panel) => refreshPanel(panel, state, previous, () => now === turn)));
      if (now === turn) app.report.count(panels);
    } catch (error) {
      app.say(error.message, "error");
    }
  }

  function reconcile(state) {
    while (panels.length > state.maps.length) {
      const panel = panels.pop();
      panel.view.destroy();
      panel.element.remove();
    }
    while (panels.length < state.maps.length) {
      panels.push(createPanel(app));
      element.append(panels[panels.length - 1].element);
    }
    element.dataset.count = panels.length;
    layOut();
    panels.forEach((panel, k) => panel.setTitle(state.maps[k], state));
  }

  async function refreshPanel(panel, state, previous, current) {
    const map = state.maps[panels.indexOf(panel)];
    const changed = panel.map !== map;
    const [frame, data, sizes] = await Promise.all([
      app.source.points(map),
      app.colorData(state.color, map),
      state.sizeBy === null ? null : app.columnData(state.sizeBy),
    ]);
    if (!current()) return;
    const animate = changed && panel.map !== null && app.moves();
    panel.map = map;
    paintPanel(panel, state, frame, data, sizes);
    if (changed) {
      panel.view.setCamera(state.cameras[map] ?? null);
      panel.view.setPlaces(frame, animate);
    } else if (JSON.stringify(state.cameras[map]) !== JSON.stringify(previous?.cameras[map])) {
      panel.view.setCamera(state.cameras[map] ?? null);
    }
    await dress(panel, state, frame, data, current);
  }

  function paintPanel(panel, state, frame, data, sizes) {
    const key = JSON.stringify([state.color, state.hidden, state.range, app.theme(), state.sizeBy, panel.map]);
    if (panel.painted !== key) {
      panel.painted = key;
      panel.look = paintPoints(app.info.n_points, data, { theme: app.theme(), hidden: state.hidden, range: state.range });
      hideUnplaced(panel.look.shown, frame);
      panel.base = marksOf(panel.look, sizes);
      panel.selection = null;
    }
    if (panel.selection !== state.selection) {
      panel.selection = state.selection;
      panel.marks = withSelection(panel.base, state.selection);
    }
    panel.n_shown = countShown(panel.look.shown);
    panel.view.setLook({ painted: panel.look, marks: panel.marks, selection: state.selection, size: state.size, opacity: state.opacity });
    panel.setCount(panel.n_shown, app.info.n_points);
  }

  /** Everything over the points; what must be asked for arrives when it does. */
  async function dress(panel, state, frame, data, current) {
    const category = data?.kind === "category" && state.labels ? data : null;
    if (panel.named !== `${panel.painted} ${state.labels}`) {
      panel.named = `${panel.painted} ${state.labels}`;
      panel.view.setScene({ names: category && namesOf(category, frame, panel.look.shown) });
    }
    const quiet = (promise) => promise.catch((error) => (app.say(error.message, "error"), null));
    panel.view.setScene({ tool: state.tool, dimensions: state.dimensions, theme: app.theme(), ends: state.path });
    const can = app.mapOf(panel.map)?.can ?? {};
    const [neighbors, path, ellipses, lit, sheet] = await Promise.all([
      state.focus === null ? null : quiet(app.neighbors(panel.map, state.focus, state.neighbors)),
      state.path.length < 2 || !can.path ? null : quiet(app.path(panel.map, ...state.path)),
      state.ellipses && can.ellipses && frame.q > 1 ? quiet(app.source.ellipses(panel.map)) : null,
      state.lit ? quiet(litPairs(app, panel.map, state.lit)) : null,
      state.images && app.info.capabilities.images ? quiet(app.sheet()) : null,
    ]);
    if (!current()) return;
    panel.view.setScene({ neighbors, path, ellipses, lit, sheet });
    if (panel.map === state.active) app.report.point({ neighbors, path, lit });
  }
}

function createPanel(app) {
  const chooser = h("select", { class: "map-chooser", "aria-label": "map shown here", onchange: () => swap(chooser.value) });
  const scores = h("span", { class: "map-scores" });
  const count = h("div", { class: "count", "aria-live": "polite" });
  const panel = { map: null, painted: null, selection: null };
  const activate = () => app.store.adjust({ active: panel.map });
  panel.view = createView({
    hover: (point, pixel) => app.hover(panel, point, pixel),
    click: (point, place, event) => (activate(), app.click(panel, point, place, event)),
    lasso: (points, event) => (activate(), app.lasso(points, event)),
    camera: (camera) => app.store.set({ cameras: { ...app.store.get().cameras, [panel.map]: camera } }),
    place: (place, pixel) => app.place(panel, place, pixel),
    trail: (places, done) => app.trail(panel, places, done),
  });
  panel.element = h("section", { class: "panel", onpointerdown: activate },
    h("header", { class: "panel-head" }, chooser, scores, count),
    panel.view.stage);
  panel.setCount = (n, total) => {
    put(count, h("b", {}, number(n)), ` of ${number(total)} shown`);
    count.classList.toggle("whole", n === total);
  };
  panel.setTitle = (map, state) => {
    put(chooser, ...app.info.maps.map((one) => h("option", { value: one.id }, one.label)));
    chooser.value = map;
    put(scores, ...mainScores(app.mapOf(map)));
    panel.element.classList.toggle("active", state.maps.length > 1 && map === state.active);
    panel.view.stage.setAttribute("aria-label", `map ${app.mapOf(map)?.label ?? ""}: arrow keys move, plus and minus zoom, Shift with arrows goes from point to point, Enter opens it`);
  };
  return panel;

  function swap(next) {
    const { maps, active } = app.store.get();
    const other = maps.indexOf(next);
    const place = maps.indexOf(panel.map);
    const changed = maps.map((id, k) => (k === place ? next : k === other ? panel.map : id));
    app.store.set({ maps: changed, active: active === panel.map ? next : active });
  }
}

function mainScores(map) {
  return (map?.scores ?? []).slice(0, 3).map((score) =>
    h("span", { class: "score", title: score.meaning }, `${score.heading} `, h("b", {}, scoreText(score.value))));
}

function hideUnplaced(shown, { arrays: { places }, q }) {
  for (let i = 0; i < shown.length; i++) if (Number.isNaN(places[i * q])) shown[i] = 0;
}

function countShown(shown) {
  let count = 0;
  for (let i = 0; i < shown.length; i++) count += shown[i];
  return count;
}

const PLAIN = 85; // of 255: size 1

/** Four bytes a point: state, shape, size, nothing. */
function marksOf({ shown, shape }, sizes) {
  const marks = new Uint8Array(4 * shown.length);
  const [low, high] = sizes?.limits ?? [0, 1];
  for (let i = 0; i < shown.length; i++) {
    marks[4 * i] = shown[i];
    marks[4 * i + 1] = shape[i];
    const share = sizes?.values ? Math.min(Math.max((sizes.values[i] - low) / (high - low || 1), 0), 1) : null;
    marks[4 * i + 2] = share === null ? PLAIN : Number.isNaN(share) ? 30 : 40 + 170 * Math.sqrt(share);
  }
  return marks;
}

function withSelection(base, selection) {
  if (!selection.length) return base;
  const marks = base.slice();
  for (let i = 0; i < marks.length; i += 4) if (marks[i]) marks[i] = 2;
  for (const point of selection) if (marks[4 * point]) marks[4 * point] = 3;
  return marks;
}

/** Pairs inside what was brushed: {pairs, total}. */
async function litPairs(app, map, { kind, box }) {
  const { arrays } = await app.source[kind](map);
  const inside = [];
  for (let i = 0; i < arrays.first.length; i++) {
    if (inBox(box, arrays.data[i], arrays.map[i], arrays.doubtful?.[i])) inside.push(i);
  }
  const shown = Math.min(inside.length, LIT); // evenly among them, not the first
  const pairs = Array.from({ length: shown }, (_, k) => {
    const i = inside[Math.floor((k * inside.length) / shown)];
    return [arrays.first[i], arrays.second[i], arrays.doubtful?.[i] === 1];
  });
  return { pairs, total: inside.length, kind };
}

function inBox(box, data, map, doubtful) {
  if (box === "doubtful") return doubtful === 1;
  return data >= box[0] && data <= box[2] && (box[1] === box[3] || (map >= box[1] && map <= box[3]));
}
