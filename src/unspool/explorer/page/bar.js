// The bar above the maps, and the tools on them.

import { h, icon, number, put, s } from "./dom.js";

const TOOLS = [
  ["pan", "move", "Move and click (v)"],
  ["lasso", "lasso", "Lasso (l); Shift adds, Alt takes away"],
  ["rectangle", "rectangle", "Rectangle (r)"],
  ["path", "path", "Path between two points (g)"],
  ["back", "way back", "The way back: what lies at a place of the map (b)"],
];

const KEYS = [
  ["arrows", "move the map; in three dimensions turn it"],
  ["+ −  0", "zoom in, out; see everything"],
  ["Shift + arrows", "go from point to point; Enter opens it"],
  ["v l r g b", "move, lasso, rectangle, path, way back"],
  ["1 … 5", "the tabs"],
  ["m  /", "to the map; search"],
  ["u  Shift + u", "undo, redo"],
  ["Esc", "back to moving; then let go of what is chosen"],
];

/** Make the bar and the tools. */
export function createBar(app) {
  const search = h("input", { type: "search", placeholder: "search: id, #row, column = value", "aria-label": "search", spellcheck: "false" });
  const form = h("form", { class: "search", role: "search", onsubmit: (event) => (event.preventDefault(), app.search(search.value)) }, icon("search"), search);
  const count = h("div", { class: "bar-count" });
  const undo = button("undo", "Undo (u)", () => app.store.undo());
  const redo = button("redo", "Redo (Shift + u)", () => app.store.redo());
  const theme = button("theme", "Light or dark", () => app.store.set({ theme: app.theme() === "dark" ? "light" : "dark" }));
  const dialog = h("dialog", { class: "help", "aria-label": "keys" });
  const tools = h("div", { class: "tools", role: "toolbar", "aria-label": "tools", "aria-orientation": "vertical" },
    ...offered().map(([name, , title]) => button(name, title, () => app.store.set({ tool: name }), { "data-tool": name })),
    button("fit", "See everything (0)", () => app.store.set({ cameras: { ...app.store.get().cameras, [app.store.get().active]: null } })));
  const element = h("header", { class: "bar" },
    h("div", { class: "title" }, mark(), h("div", { class: "title-text" },
      h("h1", {}, app.info.title), h("span", { class: "hint" }, `${number(app.info.n_points)} rows × ${number(app.info.n_features)} columns · ${app.info.metric}`))),
    count, app.info.capabilities.search ? form : null,
    h("div", { class: "bar-buttons" }, undo, redo, theme, button("help", "Keys (?)", help)), dialog);

  return {
    element,
    tools,
    refresh(state) {
      for (const one of tools.querySelectorAll("[data-tool]")) one.setAttribute("aria-pressed", String(one.dataset.tool === state.tool));
      undo.disabled = !app.store.canUndo();
      redo.disabled = !app.store.canRedo();
    },
    /** Say how many points are shown; always, never only where some are missing. */
    count(board) {
      const panel = board.active();
      const { selection } = app.store.get();
      if (!panel) return;
      put(count, h("b", {}, number(panel.n_shown)), ` of ${number(app.info.n_points)} shown`,
        selection.length ? h("span", { class: "selected" }, `${number(selection.length)} selected`) : null);
    },
    find: () => search.focus(),
    help,
  };

  function offered() {
    const { capabilities } = app.info;
    return TOOLS.filter(([name]) => (name !== "path" || capabilities.path) && (name !== "back" || capabilities.inverse));
  }

  function help() {
    put(dialog, h("h2", {}, "Keys"), h("dl", { class: "facts keys-list" }, ...KEYS.flatMap(([keys, text]) => [h("dt", {}, keys), h("dd", {}, text)])),
      h("button", { class: "quiet", onclick: () => dialog.close() }, "close"));
    if (!dialog.open) dialog.showModal();
  }
}

function button(name, title, act, more = {}) {
  return h("button", { class: "icon-button", title, "aria-label": title, onclick: act, ...more }, icon(name));
}

function mark() {
  return s("svg", { viewBox: "0 0 32 32", class: "mark", "aria-hidden": "true" },
    s("path", { d: "M27 16a11 11 0 1 1-11-11c5 0 8 3.500 8 7.500s-3 7-7 7-6-2.500-6-5.500 2.200-4.500 4.500-4.500" }));
}
