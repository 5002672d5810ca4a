// The tab that says how points look: colour, size, opacity, names, dimensions.

import { h, number, put } from "./dom.js";
import { legend } from "./coloring.js";

/** Make the tab; `refresh` draws it anew. */
export function createLook(app) {
  const element = h("div", { class: "tab-body" });
  let turn = 0;

  return { element, refresh };

  async function refresh(state) {
    const now = ++turn;
    const data = await app.colorData(state.color, state.active).catch(() => null);
    if (now !== turn) return;
    const focused = document.activeElement?.dataset?.keep;
    put(element, colorSection(state, data), pointSection(state));
    if (focused) element.querySelector(`[data-keep="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  function colorSection(state, data) {
    return h("section", {},
      h("h2", {}, "Colour"),
      h("select", { class: "wide", "aria-label": "colour by", "data-keep": "color", onchange: (event) => choose(event.target.value) }, ...colorOptions(state)),
      legend(app, data, state));
  }

  function colorOptions(state) {
    const chosen = state.color ? `${state.color.kind}:${state.color.index ?? state.color.name}` : "none";
    const option = (value, text) => {
      const made = h("option", { value }, text);
      made.selected = value === chosen;
      return made;
    };
    const columns = app.info.columns.filter((column) => column.kind !== "text");
    const groups = [option("none", "nothing")];
    if (columns.length) groups.push(h("optgroup", { label: "Columns" }, ...columns.map((column) => option(`column:${column.index}`, column.name))));
    if (app.info.scores.length) groups.push(h("optgroup", { label: "How far the map can be trusted here" }, ...app.info.scores.map((score) => option(`score:${score.name}`, score.title))));
    return groups;
  }

  function choose(value) {
    const [kind, name] = [value.slice(0, value.indexOf(":")), value.slice(value.indexOf(":") + 1)];
    if (value === "none") app.colorBy(null);
    else app.colorBy(kind === "column" ? { kind, index: Number(name) } : { kind, name });
  }

  function pointSection(state) {
    const numbers = app.info.columns.filter((column) => column.kind === "number");
    const solid = app.mapOf(state.active)?.q === 3;
    return h("section", {},
      h("h2", {}, "Points"),
      slider("Size", state.size, 1, 16, 0.5, (size) => app.store.set({ size })),
      slider("Opacity", state.opacity, 0.05, 1, 0.05, (opacity) => app.store.set({ opacity })),
      numbers.length ? h("label", { class: "field" }, h("span", {}, "Size by"), sizeChooser(state, numbers)) : null,
      check("Names of categories on the map", state.labels, (labels) => app.store.set({ labels })),
      app.info.capabilities.images ? check("Images on the map", state.images, (images) => app.store.set({ images })) : null,
      check("Three dimensions", state.dimensions === 3, (on) => app.store.set({ dimensions: on ? 3 : 2 }), !solid,
        solid ? null : "this map has fewer than three coordinates: fit one with n_components = 3"));
  }

  function sizeChooser(state, numbers) {
    const chooser = h("select", { "data-keep": "sizeBy", onchange: () => app.store.set({ sizeBy: chooser.value === "" ? null : Number(chooser.value) }) },
      h("option", { value: "" }, "nothing"), ...numbers.map((column) => h("option", { value: column.index }, column.name)));
    chooser.value = state.sizeBy ?? "";
    return chooser;
  }
}

/** A labelled slider that shows its value. */
export function slider(label, value, low, high, step, act, format = number) {
  const shown = h("output", {}, format(value));
  return h("label", { class: "field" }, h("span", {}, label),
    h("input", {
      type: "range", min: low, max: high, step, value, "data-keep": `slider ${label}`,
      oninput: (event) => {
        shown.textContent = format(Number(event.target.value));
        act(Number(event.target.value));
      },
    }), shown);
}

/** A labelled check box. */
export function check(label, value, act, disabled = false, why = null) {
  return h("label", { class: "check", title: why },
    h("input", { type: "checkbox", checked: value, disabled, "data-keep": `check ${label}`, onchange: (event) => act(event.target.checked) }),
    h("span", {}, label));
}
