// The tab of what is pointed at: a point and its neighbours, a geodesic, the way back from the map.

import { h, number, put } from "./dom.js";
import { cutOut } from "./images.js";
import { slider } from "./look.js";

/** Make the tab. */
export function createPoint(app) {
  const point = h("section", { "data-part": "focus" });
  const path = h("section", { "data-part": "path" });
  const back = h("section", { "data-part": "back" });
  const element = h("div", { class: "tab-body" }, point, path, back);
  const found = { neighbors: null, path: null };
  let shownPoint = null;

  return {
    element,
    back,
    async refresh(state) {
      if (state.focus === null) {
        shownPoint = null;
        put(point, h("h2", {}, "Point"), h("p", { class: "hint" }, "Click a point: who are its true neighbours, and which of those on the map are false?"));
      } else await showPoint(state);
      showPath(state);
    },
    /** Take what the board has asked for the active map. */
    report(news, state) {
      Object.assign(found, news);
      if (state.focus !== null) showNeighbors(state);
      showPath(state);
    },
  };

  async function showPoint(state) {
    if (shownPoint === state.focus) return;
    shownPoint = state.focus;
    const row = await app.source.row(state.focus).catch((error) => ({ point: state.focus, values: [], error: error.message }));
    if (app.store.get().focus !== row.point) return;
    put(point,
      h("div", { class: "section-head" }, h("h2", {}, nameOf(row)), h("button", { class: "link", onclick: () => app.store.set({ focus: null }) }, "clear")),
      row.error ? h("p", { class: "hint" }, row.error) : null,
      h("div", { class: "neighbors" }),
      h("div", { class: "row-facts" }, app.info.capabilities.images ? thumbnail(app, row.point) : null, rowTable(app.telling(row))));
    showNeighbors(state);
  }

  function showNeighbors(state) {
    const place = point.querySelector(".neighbors");
    const news = found.neighbors;
    if (!place || !news || news.point !== state.focus) return;
    put(place,
      h("p", { class: "words" }, news.words),
      h("ul", { class: "keys" },
        keyed("lost", "true neighbours that the map lost", news.lost.length),
        keyed("wrong", "near on the map, but not in the data", news.false.length),
        keyed("kept", "neighbours on both", news.kept.length)),
      slider("Neighbours", state.neighbors, 1, Math.min(app.options.host === "file" ? 10 : 50, app.info.n_points - 1), 1, (neighbors) => app.store.set({ neighbors })),
      h("div", { class: "row" },
        h("button", { class: "link", onclick: () => app.zoomTo([news.point, ...news.neighbors, ...news.map_neighbors]) }, "zoom to them"),
        h("button", { class: "link", onclick: () => app.store.set({ selection: [...news.neighbors] }) }, "select the true neighbours"),
        h("button", { class: "link", onclick: () => app.store.set({ selection: [...news.map_neighbors] }) }, "those on the map")));
  }

  function showPath(state) {
    if (!app.info.capabilities.path) return put(path);
    const can = app.mapOf(state.active)?.can?.path;
    const news = state.path.length === 2 ? found.path : null;
    put(path,
      h("div", { class: "section-head" }, h("h2", {}, "Path"),
        state.path.length ? h("button", { class: "link", onclick: () => app.store.set({ path: [] }) }, "clear") : null),
      !can ? h("p", { class: "hint" }, "This map has no neighbour graph to walk along.")
        : news ? pathFacts(news)
          : h("p", { class: "hint" }, state.path.length ? `From point ${number(state.path[0])}: now click where to.` : "Choose the path tool (g) and click two points: how far are they along the data, and how far on the map?"));
  }
}

function keyed(kind, text, count) {
  return h("li", {}, h("span", { class: `key ${kind}` }), h("b", {}, number(count)), h("span", {}, text));
}

function pathFacts(news) {
  const facts = [
    ["along the data", news.length], ["straight through", news.straight], ["on the map", news.map_distance], ["along the drawn path", news.map_length],
  ];
  return h("div", {},
    h("p", { class: "words" }, news.words),
    news.connected === false ? null : h("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, number(value, 4))])),
    news.doubtful.length ? h("p", { class: "words fault" }, `${news.doubtful.length} of its ${news.points.length - 1} edges ${news.doubtful.length === 1 ? "is" : "are"} doubtful (red).`) : null);
}

/** What a row is called. */
export function nameOf(row) {
  return row.label ?? row.id ?? `Row ${number(row.point)}`;
}

/** A row as a table, the first values or all. */
export function rowTable(row, most = 60) {
  const shown = row.values.slice(0, most);
  const more = (row.more ?? 0) + row.values.length - shown.length;
  return h("div", {},
    h("dl", { class: "facts" }, ...shown.flatMap(([name, value]) => [h("dt", { title: name }, name), h("dd", {}, typeof value === "number" ? number(value, 4) : String(value ?? "–"))])),
    more > 0 ? h("p", { class: "hint" }, `and ${number(more)} more columns`) : null);
}

const pictures = new Map();

/** The picture of a row; addresses of the last few hundred are kept. A file has those on its sheet. */
export function thumbnail(app, point) {
  if (!app.info.capabilities.thumbnails) return fromSheet(app, point);
  const image = h("img", { class: "thumbnail", alt: `picture of row ${point}` });
  const show = (address) => (image.src = address);
  if (pictures.has(point)) show(pictures.get(point));
  else app.source.thumbnail(point).then((blob) => {
    pictures.set(point, URL.createObjectURL(blob));
    if (pictures.size > 300) {
      const [oldest, address] = pictures.entries().next().value;
      pictures.delete(oldest);
      URL.revokeObjectURL(address);
    }
    show(pictures.get(point));
  }, () => image.remove());
  return image;
}

function fromSheet(app, point) {
  const place = h("span", {});
  app.sheet().then((sheet) => {
    const picture = cutOut(sheet, point);
    if (picture) place.replaceWith(h("img", { class: "thumbnail", alt: `picture of row ${point}`, src: picture }));
  }, () => place.remove());
  return place;
}
