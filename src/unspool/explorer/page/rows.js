// The tab of rows: what is selected, names for it, new rows from a file, and everything that goes out.

import { h, number, offer, put } from "./dom.js";
import { DIAMONDS } from "./overlay.js";
import { VECTORS, saveMap } from "./picture.js";
import { nameOf } from "./point.js";

const LISTED = 12;

/** Make the tab. */
export function createRows(app) {
  const selection = h("section", { "data-part": "selection" });
  const names = h("section", { "data-part": "names" });
  const fresh = h("section", { "data-part": "drop" });
  const out = h("section", { "data-part": "out" });
  const element = h("div", { class: "tab-body" }, selection, names, fresh, out);
  const labels = []; // {name, points}: named selections of this visit
  let listed = null;

  drawFresh(null);
  drawOut();
  return {
    element,
    refresh(state) {
      if (listed === state.selection) return;
      listed = state.selection;
      drawSelection(state);
      drawNames();
    },
    drop,
  };

  async function drawSelection(state) {
    const points = state.selection;
    const list = h("ul", { class: "points-list" });
    put(selection,
      h("div", { class: "section-head" }, h("h2", {}, "Selection"),
        points.length ? h("button", { class: "link", onclick: () => app.store.set({ selection: [] }) }, "clear") : null),
      h("p", { class: "words" }, points.length ? `${number(points.length)} of ${number(app.info.n_points)} points selected` : "Nothing is selected. Draw a lasso (l) or a rectangle (r); with Shift more is added, with Alt taken away."),
      points.length ? h("div", { class: "row" },
        h("button", { class: "quiet", onclick: invert }, "invert"),
        h("button", { class: "quiet", onclick: name }, "name it …"),
        ...formats().map((format) => h("button", { class: "quiet", "data-save": format, onclick: () => save(format, [{ name: "selected", points }]) }, `save as ${format}`))) : null,
      list);
    const rows = await Promise.all(points.slice(0, LISTED).map((point) => app.source.row(point).catch(() => ({ point, values: [] }))));
    if (app.store.get().selection !== points) return;
    put(list, ...rows.map((row) => h("li", {}, h("button", { class: "link", onclick: () => app.focus(row.point) }, nameOf(row)))),
      points.length > LISTED ? h("li", { class: "hint" }, `and ${number(points.length - LISTED)} more`) : null);
  }

  function formats() {
    return app.options.host === "file" ? ["csv"] : ["csv", "parquet"];
  }

  function invert() {
    const inside = new Set(app.store.get().selection);
    app.store.set({ selection: Array.from({ length: app.info.n_points }, (_, point) => point).filter((point) => !inside.has(point)) });
  }

  function name() {
    const field = h("input", { type: "text", class: "wide", placeholder: "a name for these points", "aria-label": "name of the selection", maxlength: 80 });
    const keep = () => {
      if (!field.value.trim()) return;
      labels.push({ name: field.value.trim(), points: app.store.get().selection });
      drawNames();
    };
    field.addEventListener("keydown", (event) => event.key === "Enter" && keep());
    put(names, h("div", { class: "row" }, field, h("button", { class: "quiet", onclick: keep }, "keep")), ...namedList());
    field.focus();
  }

  function drawNames() {
    put(names, ...namedList());
  }

  function namedList() {
    if (!labels.length) return [];
    return [
      h("h2", {}, "Named"),
      h("ul", { class: "points-list named" }, ...labels.map((label, k) => h("li", {},
        h("button", { class: "link", onclick: () => app.store.set({ selection: label.points }) }, label.name),
        h("span", { class: "hint" }, number(label.points.length)),
        h("button", { class: "link", "aria-label": `forget ${label.name}`, onclick: () => (labels.splice(k, 1), drawNames()) }, "forget")))),
      h("div", { class: "row" }, ...formats().map((format) => h("button", { class: "quiet", "data-save-named": format, onclick: () => save(format, labels) }, `save all as ${format}`))),
    ];
  }

  async function save(format, groups) {
    const points = Uint32Array.from(groups.flatMap((group) => group.points));
    const codes = new Uint16Array(points.length);
    let at = 0;
    groups.forEach((group, k) => codes.fill(k, at, (at += group.points.length)));
    try {
      const answer = await app.source.rows(points, codes, groups.map((group) => group.name), format);
      offer(`${stem(app)}-selection.${format}`, new Blob([answer.bytes], { type: answer.type }));
    } catch (error) {
      app.say(error.message, "error");
    }
  }

  function drawFresh(frame) {
    if (!app.info.capabilities.drop) return;
    const chooser = h("input", { type: "file", "aria-label": "file with new rows", onchange: () => chooser.files[0] && drop(chooser.files[0]) });
    put(fresh, h("h2", {}, "New rows"),
      frame ? h("p", { class: frame.n_far ? "words fault" : "words" }, frame.words) : h("p", { class: "hint" }, "Drop a file on the map: its rows are placed by the fitted method, and those far from all data are marked."),
      frame?.n > DIAMONDS ? h("p", { class: "words fault", "data-cut": true }, `Only the first ${number(DIAMONDS)} of ${number(frame.n)} rows are drawn on the map; the counts are of all.`) : null,
      ...(frame?.notes ?? []).map((note) => h("p", { class: "hint" }, note)),
      frame ? freshList(frame) : null,
      h("label", { class: "quiet file" }, "choose a file", chooser),
      frame ? h("button", { class: "link", onclick: () => (app.board.setScene({ fresh: null }), drawFresh(null)) }, "take them away") : null);
  }

  function freshList(frame) {
    const { far, distance, nearest } = frame.arrays;
    return h("ul", { class: "points-list" }, ...Array.from(far.subarray(0, LISTED), (isFar, k) => h("li", {},
      h("span", {}, frame.ids?.[k] ?? `row ${k}`),
      h("button", { class: "link", onclick: () => app.focus(nearest[k]) }, `nearest ${number(nearest[k])}, ${number(distance[k])} away`),
      isFar ? h("span", { class: "fault" }, "far from all data") : null)),
    far.length > LISTED ? h("li", { class: "hint" }, `and ${number(far.length - LISTED)} more`) : null);
  }

  async function drop(file) {
    const { active } = app.store.get();
    app.store.set({ tab: "rows" });
    if (file.size > app.info.limits.upload) return app.say(`the file has ${number(file.size)} bytes; at most ${number(app.info.limits.upload)} are taken`, "error");
    app.say(`placing the rows of ${file.name} …`);
    try {
      const frame = await app.source.drop(active, file);
      app.board.setScene({ fresh: frame }, active);
      drawFresh(frame);
      app.say(frame.words);
    } catch (error) {
      app.say(error.message, "error");
    }
  }

  function drawOut() {
    put(out, h("h2", {}, "Picture and page"),
      h("div", { class: "row" },
        h("button", { class: "quiet", "data-picture": "png", onclick: () => saveMap(app, "png") }, "PNG"),
        h("button", { class: "quiet", "data-picture": "svg", onclick: () => saveMap(app, "svg") }, "SVG"),
        app.info.capabilities.page ? h("button", { class: "quiet", "data-page": true, onclick: page }, "one HTML file") : null),
      app.info.n_points > VECTORS ? h("p", { class: "hint", "data-svg": true }, `Where more than ${number(VECTORS)} points are shown, an SVG holds the points as one picture of the size of the map; lines, marks and words stay shapes.`) : null);
  }

  async function page() {
    try {
      const answer = await app.source.page(app.store.get().maps);
      offer(`${stem(app)}.html`, new Blob([answer.bytes], { type: "text/html" }));
    } catch (error) {
      app.say(error.message, "error");
    }
  }
}

/** A name for files from the name of the data. */
export function stem(app) {
  return (app.info.title || "map").replace(/\.[a-z0-9]+$/i, "").replace(/[^\w.-]+/g, "-") || "map";
}
