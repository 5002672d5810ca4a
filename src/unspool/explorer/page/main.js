// The page: what its parts share, and what follows from what.

import { createBack } from "./back.js";
import { createBar } from "./bar.js";
import { createBoard } from "./board.js";
import { columnData, loadColor } from "./coloring.js";
import { h, number, put } from "./dom.js";
import { loadSheet } from "./images.js";
import { createLook } from "./look.js";
import { createMaps } from "./maps.js";
import { createPoint, nameOf, rowTable, thumbnail } from "./point.js";
import { createRows } from "./rows.js";
import { prepareScatter } from "./scatter.js";
import { connect } from "./source.js";
import { createStore, fromAddress, INITIAL, toAddress } from "./state.js";
import { createTrust } from "./trust.js";

const TABS = [["look", "Look"], ["trust", "Trust"], ["point", "Point"], ["maps", "Maps"], ["rows", "Rows"]];
const TOOLS = { v: "pan", l: "lasso", r: "rectangle", g: "path", b: "back" };

/** Put the page into an element. Gives {destroy, select, onSelect, setTheme} at once. */
export function mount(element, transport, options) {
  const listeners = new Set();
  const page = { app: null, ended: false, selection: null };
  element.classList.toggle("compact", Boolean(options.compact));
  put(element, h("p", { class: "opening" }, "opening the map …"));
  const opened = open(element, transport, options).then((app) => {
    page.app = app;
    if (page.ended) return app.destroy();
    app.store.subscribe((state, previous) => {
      if (state.selection !== previous.selection) listeners.forEach((listener) => listener([...state.selection]));
    });
    if (page.selection) app.store.adjust({ selection: page.selection });
    return app;
  });
  element.explorer = { opened }; // for scripts and tests: the state, the maps, and where a point is
  opened.catch((error) => put(element, h("p", { class: "opening fault", role: "alert" }, error.message)));
  return {
    opened,
    destroy() {
      page.ended = true;
      page.app?.destroy();
    },
    select(points) {
      page.selection = points;
      page.app?.store.set({ selection: points });
    },
    onSelect(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setTheme: (theme) => page.app?.store.set({ theme }),
  };
}

async function open(element, transport, options) {
  const source = connect(transport);
  const asked = source.info();
  prepareScatter();
  const info = await asked;
  const initial = { ...INITIAL, ...firstState(info), theme: options.theme ?? "auto" };
  const hash = options.host === "widget" ? "" : location.hash.slice(1);
  const store = createStore(sensible({ ...initial, ...fromAddress(hash) }, initial, info));
  const app = createApp({ element, source, info, initial, store, options });
  app.start();
  return app;
}

function firstState(info) {
  const n = info.n_points;
  const maps = info.maps.length > 1 && n <= 200_000 ? info.maps.slice(0, 6) : info.maps.slice(0, 1);
  return {
    maps: maps.map((map) => map.id),
    active: info.maps[0]?.id ?? null,
    dimensions: info.maps[0]?.q === 3 ? 3 : 2,
    color: info.color === null || info.color === undefined ? null : { kind: "column", index: info.color },
    size: n < 1500 ? 7 : n < 6000 ? 5 : n < 30_000 ? 4 : n < 150_000 ? 2.5 : 1.5,
    opacity: n < 30_000 ? 0.85 : n < 300_000 ? 0.6 : 0.45,
  };
}

/** An address may name maps and points that are not there. */
function sensible(state, initial, info) {
  const maps = state.maps.filter((id) => info.maps.some((map) => map.id === id));
  const inside = (point) => Number.isInteger(point) && point >= 0 && point < info.n_points;
  const kept = maps.length ? maps : initial.maps;
  return {
    ...state,
    maps: kept,
    active: kept.includes(state.active) ? state.active : kept[0],
    focus: inside(state.focus) ? state.focus : null,
    path: state.path.filter(inside).slice(0, 2),
    selection: state.selection.filter(inside),
  };
}

function createApp(app) {
  const { element, source, info, store, options } = app;
  const side = h("aside", { class: "side", "aria-label": "panels" });
  const tabs = h("div", { class: "tabs", role: "tablist" });
  const hoverCard = h("div", { class: "hover-card", hidden: true });
  const status = h("div", { class: "status", role: "status", "aria-live": "polite", hidden: true });
  const night = matchMedia("(prefers-color-scheme: dark)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const memory = new Map(); // neighbours and paths that were asked for
  let stopListening = () => {};
  let hushed = 0;
  let hovered = -1;
  let addressTimer = 0;

  Object.assign(app, {
    initialColor: app.initial.color,
    theme: () => (store.get().theme === "auto" ? (night.matches ? "dark" : "light") : store.get().theme),
    moves: () => info.n_points <= info.limits.morph && !still.matches,
    mapOf: (id) => info.maps.find((map) => map.id === id),
    colorData: (color, map) => loadColor(source, color, map),
    columnData: (index) => columnData(source, index),
    telling,
    neighbors: (map, point, k) => remembered(`n ${map} ${point} ${k}`, () => source.neighbors(map, point, k)),
    sheet: () => remembered("sheet", () => loadSheet(source)),
    path: (map, from, to) => remembered(`p ${map} ${from} ${to}`, () => source.path(map, from, to)),
    report: { count: () => bar.count(board), point: reportPoint },
    colorBy, focus, follow, zoomTo, hover, click, lasso, say, copy, addMap, scoreReady, search,
    place: (panel, place) => back.place(panel, place),
    trail: (panel, places, done) => back.trail(panel, places, done),
    start, destroy,
  });

  const board = (app.board = createBoard(app));
  const parts = { look: createLook(app), trust: createTrust(app), point: createPoint(app), maps: createMaps(app), rows: createRows(app) };
  const back = createBack(app, parts.point.back);
  const bar = createBar(app);
  return app;

  function start() {
    element.classList.add("unspool");
    put(tabs, ...TABS.map(([name, text]) => h("button", { role: "tab", id: `tab-${name}`, "data-tab": name, onclick: () => store.set({ tab: name }) }, text)));
    tabs.addEventListener("keydown", turnTabs);
    const bodies = TABS.map(([name]) => h("div", { class: "tab", role: "tabpanel", "aria-labelledby": `tab-${name}`, "data-panel": name }, parts[name].element));
    put(side, tabs, ...bodies);
    put(element, bar.element, h("main", { class: "work" }, h("div", { class: "board-frame" }, board.element, bar.tools), side), hoverCard, status);
    store.subscribe(refresh);
    night.addEventListener("change", repaint);
    element.addEventListener("keydown", onKey);
    if (options.host === "server") document.addEventListener("keydown", onStrayKey);
    acceptFiles();
    if (options.host !== "widget") addEventListener("hashchange", onAddress);
    stopListening = source.listen(onEvent);
    if (options.host === "server") document.title = `${info.title} · unspool`;
    refresh(store.get(), null);
  }

  function refresh(state, previous) {
    element.dataset.theme = app.theme();
    for (const button of tabs.children) button.setAttribute("aria-selected", String(button.dataset.tab === state.tab));
    for (const button of tabs.children) button.tabIndex = button.dataset.tab === state.tab ? 0 : -1;
    for (const body of side.querySelectorAll(".tab")) body.hidden = body.dataset.panel !== state.tab;
    if (state.tool !== "back" && previous?.tool === "back") {
      back.stop();
      board.setScene({ place: null });
    }
    board.refresh(state, previous);
    parts[state.tab].refresh(state);
    if (state.tab === "point") back.refresh(state);
    bar.refresh(state);
    element.dataset.tool = state.tool;
    writeAddress(state);
  }

  function repaint() {
    refresh(store.get(), store.get());
  }

  function writeAddress(state) {
    if (options.host === "widget" || options.compact) return;
    clearTimeout(addressTimer);
    addressTimer = setTimeout(() => {
      const text = toAddress(state, app.initial);
      const address = `${location.pathname}${location.search}${text ? `#${text}` : ""}`;
      history.replaceState(null, "", address);
    }, 250);
  }

  function onAddress() {
    store.set(sensible({ ...app.initial, ...fromAddress(location.hash.slice(1)) }, app.initial, info));
  }

  function remembered(key, ask) {
    if (!memory.has(key)) {
      if (memory.size > 500) memory.delete(memory.keys().next().value);
      memory.set(key, ask());
      memory.get(key).catch(() => memory.delete(key));
    }
    return memory.get(key);
  }

  function reportPoint(news) {
    parts.point.report(news, store.get());
    parts.trust.lit(news.lit);
  }

  async function colorBy(color) {
    const score = color?.kind === "score" && info.scores.find((one) => one.name === color.name);
    if (score?.job) {
      try {
        await source.score(store.get().active, color.name);
      } catch (error) {
        if (error.status !== 409) return say(error.message, "error");
        await source.stability(store.get().active);
        store.set({ tab: "maps" });
        return say("fitting parts of the data to see how far each point moves");
      }
    }
    store.set({ color, hidden: [], range: null });
  }

  function focus(point) {
    hoverCard.hidden = true;
    store.set({ focus: point, tab: "point" });
  }

  /** Look at some points of the active map. */
  function zoomTo(points) {
    const panel = board.active();
    const camera = panel?.view.cameraOf(points);
    if (camera) store.set({ cameras: { ...store.get().cameras, [panel.map]: camera } });
  }

  function follow(link) {
    if (link.kind === "score") colorBy({ kind: "score", name: link.name });
    else if (link.kind === "ellipses") store.set({ ellipses: true });
    else if (link.kind === "edges" && link.doubtful) store.set({ lit: { kind: "edges", box: "doubtful" } });
    else if (link.kind === "points") store.set({ selection: link.points });
    else if (link.kind === "parameter") {
      store.set({ tab: "maps" });
      parts.maps.fitWith(link.name, link.value);
      return;
    }
    const part = { edges: "edges", pairs: "pairs", scree: "scree", dimension: "dimension" }[link.kind];
    if (part) parts.trust.element.querySelector(`[data-part="${part}"]`)?.scrollIntoView({ block: "start" });
  }

  async function hover(panel, point, pixel) {
    for (const other of board.panels) if (other !== panel && point !== hovered) other.view.setScene({ linked: point });
    const { tool, focus: open } = store.get();
    if (point < 0 || !pixel || tool === "back" || point === open) {
      hovered = -1;
      hoverCard.hidden = true;
      return;
    }
    if (point !== hovered) {
      hovered = point;
      const row = await source.row(point).catch(() => null);
      if (hovered !== point || !row) return;
      put(hoverCard, app.info.capabilities.images ? thumbnail(app, point) : null, h("div", {}, h("b", {}, nameOf(row)), rowTable(leading(row), 7)));
    }
    placeCard(panel, pixel);
  }

  /** The column that gives the colour comes first. */
  function leading(row) {
    const { color } = store.get();
    const name = color?.kind === "column" ? info.columns.find((column) => column.index === color.index)?.name : null;
    const shown = app.telling(row);
    const first = shown.values.filter(([column]) => column === name);
    const named = info.columns.find((column) => column.index === info.id)?.name; // stands above already
    return { ...shown, values: [...first, ...shown.values.filter(([column]) => column !== name && column !== named)] };
  }

  /** A row without its pixels, where it is a picture that is shown beside it. */
  function telling(row) {
    if (!info.image || !info.capabilities.images) return row;
    const pixels = new Set(info.columns.filter((column) => column.mapped).map((column) => column.name));
    return { ...row, more: 0, values: row.values.filter(([name]) => !pixels.has(name)) };
  }

  function placeCard(panel, [x, y]) {
    hoverCard.hidden = false;
    const home = element.getBoundingClientRect();
    const stage = panel.view.stage.getBoundingClientRect();
    const card = hoverCard.getBoundingClientRect();
    const [left, top] = [stage.left - home.left + x + 16, stage.top - home.top + y + 16];
    const frame = board.element.getBoundingClientRect(); // never over the panels beside the maps
    const [right, bottom] = [frame.right - home.left - 8, frame.bottom - home.top - 8];
    hoverCard.style.left = `${Math.max(8, left + card.width > right ? left - card.width - 32 : left)}px`;
    hoverCard.style.top = `${Math.max(8, top + card.height > bottom ? Math.min(top - card.height - 32, bottom - card.height) : top)}px`;
  }

  function click(panel, point, place, event) {
    const { tool, path } = store.get();
    if (tool === "path") {
      if (point >= 0) store.set({ path: path.length === 1 ? [path[0], point] : [point], tab: "point" });
      return;
    }
    if (tool === "back") return;
    if (event.shiftKey && point >= 0) return lasso([point], { shiftKey: true });
    if (point >= 0) focus(point);
    else store.set({ focus: null, selection: [] });
  }

  function lasso(points, event) {
    const { selection } = store.get();
    const given = new Set(points);
    let next = points;
    if (event.altKey) next = selection.filter((point) => !given.has(point));
    else if (event.shiftKey) next = [...new Set([...selection, ...points])];
    next = Array.from(next).sort((one, other) => one - other);
    store.set({ selection: next, tab: options.compact ? store.get().tab : "rows" });
    say(`${number(next.length)} ${next.length === 1 ? "point" : "points"} selected`);
  }

  async function search(text) {
    if (!text.trim()) return;
    try {
      const found = await source.search(text);
      store.set({ selection: found.points, tab: "rows" });
      if (found.points.length === 1) focus(found.points[0]);
      say(found.words);
    } catch (error) {
      say(error.message, "error");
    }
  }

  function addMap(map) {
    info.maps.push(map);
    const { maps, active } = store.get();
    store.set({ maps: maps.map((id) => (id === active ? map.id : id)), active: map.id, dimensions: map.q === 3 ? 3 : 2 });
  }

  function scoreReady({ map, score }) {
    say("the score is ready");
    if (map) store.set({ active: map.id });
    store.set({ color: { kind: "score", name: score }, hidden: [], range: null });
  }

  function onEvent(news) {
    if (news.event === "closing") return say(news.reason ? `the server has ended: ${news.reason}` : "the server has ended; this page shows what it has", "error", true);
    parts.maps.event(news);
    if (news.event === "done" && news.kind === "fit") say(`${news.map.label}: a new map`);
  }

  function say(text, kind = "news", stay = false) {
    put(status, text);
    status.dataset.kind = kind;
    status.hidden = false;
    clearTimeout(hushed);
    if (!stay) hushed = setTimeout(() => (status.hidden = true), kind === "error" ? 12_000 : 5000);
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      say("copied");
    } catch {
      say("the browser does not let the page copy: select the text and copy it", "error");
    }
  }

  function onKey(event) {
    const typing = event.target.closest?.("input:not([type=checkbox]):not([type=range]), textarea, select");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
      if (event.shiftKey) store.redo();
      else store.undo();
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return leave(typing);
    if (typing) return;
    if (TOOLS[event.key]) store.set({ tool: TOOLS[event.key] });
    else if (event.key === "/") bar.find();
    else if (event.key === "u") store.undo();
    else if (event.key === "U") store.redo();
    else if (event.key === "?") bar.help();
    else if (event.key === "m") board.active()?.view.stage.focus();
    else if (/^[1-5]$/.test(event.key)) store.set({ tab: TABS[Number(event.key) - 1][0] });
    else return;
    event.preventDefault();
  }

  function onStrayKey(event) {
    if (event.target === document.body) onKey(event);
  }

  function leave(typing) {
    hoverCard.hidden = true;
    if (typing) return typing.blur();
    const { tool } = store.get();
    if (tool !== "pan") store.set({ tool: "pan" });
    else store.set({ focus: null, path: [], selection: [], lit: null });
  }

  function turnTabs(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = TABS.findIndex(([name]) => name === store.get().tab);
    store.set({ tab: TABS[(at + step + TABS.length) % TABS.length][0] });
    tabs.querySelector("[aria-selected=true]").focus();
    event.preventDefault();
  }

  function acceptFiles() {
    if (!info.capabilities.drop) return;
    const stop = (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      element.classList.toggle("receiving", event.type === "dragover");
    };
    for (const kind of ["dragover", "dragleave"]) element.addEventListener(kind, stop);
    element.addEventListener("drop", (event) => {
      stop(event);
      const [file] = event.dataTransfer?.files ?? [];
      if (file) parts.rows.drop(file);
    });
  }

  function destroy() {
    stopListening();
    night.removeEventListener("change", repaint);
    document.removeEventListener("keydown", onStrayKey);
    removeEventListener("hashchange", onAddress);
    board.destroy();
    put(element);
  }
}
