// The tab that says where the map lies: sentences, scores, ellipses, and the charts behind them.

import { curveChart, estimateChart, histogramChart, shepardChart } from "./charts.js";
import { h, number, put } from "./dom.js";
import { check } from "./look.js";
import { INKS } from "./overlay.js";

/** Make the tab; `refresh` draws it anew where something it shows has changed. */
export function createTrust(app) {
  const sentences = h("section", { class: "sentences" });
  const scores = h("section", {});
  const pairs = h("section", { "data-part": "pairs" });
  const edges = h("section", { "data-part": "edges" });
  const spectrum = h("section", { "data-part": "scree" });
  const dimension = h("section", { "data-part": "dimension" });
  const notes = h("section", {}, ...((app.info.notes ?? []).length ? [h("h2", {}, "About the data"), ...app.info.notes.map((note) => h("p", { class: "hint" }, note))] : []));
  const element = h("div", { class: "tab-body" }, sentences, scores, pairs, edges, spectrum, dimension, notes);
  let drawn = "";

  return { element, refresh, lit };

  async function refresh(state) {
    const key = JSON.stringify([state.active, app.theme(), state.ellipses, state.color, state.lit]);
    if (key === drawn || !state.active) return;
    drawn = key;
    drawScores(state);
    const soon = [
      section(pairs, "Distances", () => app.source.pairs(state.active), (found) => drawPairs(found, state)),
      section(edges, "Edges of the neighbour graph", () => app.source.edges(state.active), (found) => drawEdges(found, state)),
    ];
    const ready = Promise.all(soon); // a diagnosis tries other fits: what is there sooner does not wait beside it
    await Promise.all([
      section(sentences, "What to know about this map", () => ready.then(() => app.source.diagnosis(state.active)), drawSentences),
      ...soon,
      section(spectrum, null, () => app.source.charts(state.active), drawSpectrum),
      section(dimension, null, () => app.source.charts(state.active), drawDimension),
    ]);
  }

  /** Fill a section when its answer comes; a refusal is shown in its own words. */
  async function section(place, title, ask, draw) {
    const head = title ? h("h2", {}, title) : null;
    if (!place.childElementCount) put(place, head, title ? h("p", { class: "hint waiting" }, "computing") : null);
    const made = await ask().then(draw, (error) => (title ? [h("p", { class: "hint" }, error.message)] : []));
    put(place, made.length ? head : null, ...made);
  }

  /** What is at fault stands there; what is sound can be opened. */
  function drawSentences({ sentences: found }) {
    const [faults, rest] = [found.filter((one) => one.ok === false), found.filter((one) => one.ok !== false)];
    return [
      faults.length ? h("ul", { class: "findings" }, ...faults.map(finding)) : h("p", { class: "words" }, "No check found a fault."),
      rest.length ? h("details", { class: "sound" }, h("summary", {}, `${rest.length} ${rest.length === 1 ? "check is" : "checks are"} sound`), h("ul", { class: "findings" }, ...rest.map(finding))) : null,
    ];
  }

  function finding(one) {
    return h("li", { class: one.ok === false ? "finding fault" : "finding" },
      h("span", {}, one.text),
      ...[one.link, ...[one.also ?? []].flat()].filter(Boolean).map((link) =>
        h("button", { class: "link", "data-link": link.kind, onclick: () => app.follow(link) }, linkWords(link))));
  }

  function drawScores(state) {
    const { can = {}, q } = app.mapOf(state.active) ?? {};
    const chips = app.info.scores.map((score) =>
      h("button", {
        class: "chip", title: score.meaning, "data-score": score.name,
        "aria-pressed": String(state.color?.kind === "score" && state.color.name === score.name),
        onclick: () => app.colorBy(state.color?.name === score.name ? app.initialColor : { kind: "score", name: score.name }),
      }, score.title));
    put(scores,
      h("h2", {}, "Show on the map"),
      h("div", { class: "chips" }, ...chips),
      can.ellipses && q > 1 ? check("Ellipses: what became of small circles of the data", state.ellipses, (ellipses) => app.store.set({ ellipses })) : null,
      state.ellipses ? h("p", { class: "hint ellipse-words" }, "Circles as small as the data are dense, enlarged until a typical one can be seen; red where lengths or areas are off by a factor of two. One is drawn in every 34 pixels; zoom in for more.") : null);
  }

  function drawPairs(frame, state) {
    return [
      h("p", { class: "words" }, frame.words),
      shepardChart({
        data: frame.arrays.data, map: frame.arrays.map, tint: INKS[app.theme()].path,
        label: "Shepard diagram: distances on the map against those of the data",
        brush: state.lit?.kind === "pairs" ? state.lit.box : null,
        onBrush: (box) => app.store.set({ lit: box && { kind: "pairs", box } }),
      }),
      h("p", { class: "hint lit-words", "data-lit": "pairs" }, frame.n_shown < frame.n_pairs ? `Brush to light up pairs. ${number(frame.n_shown)} of ${number(frame.n_pairs)} pairs are drawn.` : "Brush to light up pairs."),
    ];
  }

  function drawEdges(frame, state) {
    const box = state.lit?.kind === "edges" && Array.isArray(state.lit.box) ? [state.lit.box[0], state.lit.box[2]] : null;
    return [
      h("p", { class: "words" }, frame.words),
      histogramChart({
        edges: frame.histogram.edges, counts: frame.histogram.counts, xLabel: "length of an edge", label: "histogram of edge lengths", brush: box,
        onBrush: (range) => app.store.set({ lit: range && { kind: "edges", box: [range[0], 0, range[1], 0] } }),
      }),
      h("p", { class: "hint lit-words", "data-lit": "edges" }, frame.n_shown < frame.n_edges ? `Brush to light up edges. ${number(frame.n_shown)} of ${number(frame.n_edges)} are drawn.` : "Brush to light up edges."),
      frame.n_doubtful ? check(`Only the ${number(frame.n_doubtful)} doubtful ones`, state.lit?.box === "doubtful", (on) => app.store.set({ lit: on ? { kind: "edges", box: "doubtful" } : null })) : null,
    ];
  }

  /** Say how many pairs light up. */
  function lit(found) {
    if (!found) return;
    const place = element.querySelector(`[data-lit="${found.kind}"]`);
    const drawnOf = found.pairs.length < found.total ? `${number(found.pairs.length)} of ` : "";
    if (place) place.textContent = `${drawnOf}${number(found.total)} ${found.kind === "pairs" ? "pairs" : "edges"} light up.`;
  }
}

function drawSpectrum({ scree, elbows }) {
  const charts = [];
  if (scree) charts.push(h("h2", {}, scree.title), curveChart({ values: scree.values, marked: scree.values.slice(0, scree.kept).map((_, k) => k + 1), label: scree.title, xLabel: "number" }));
  for (const elbow of elbows ?? []) {
    const title = `What ${elbow.method} leaves unexplained`;
    charts.push(h("h2", {}, title), elbow.explains ? h("p", { class: "hint" }, `residual variance of ${elbow.explains}`) : null,
      curveChart({ values: elbow.values, at: elbow.at, label: title, xLabel: "coordinates" }));
  }
  return charts;
}

function drawDimension({ dimension }) {
  if (!dimension) return [];
  const spread = dimension.low === dimension.high ? "" : ` (${number(dimension.low)} to ${number(dimension.high)})`;
  return [
    h("h2", {}, "Intrinsic dimension"),
    h("p", { class: "words" }, `The data have about ${number(dimension.value, 2)} dimensions${spread}.`),
    estimateChart({ estimates: dimension.estimates, value: dimension.value, label: "estimates of the intrinsic dimension" }),
  ];
}

function linkWords(link) {
  if (link.kind === "score") return "show where";
  if (link.kind === "parameter") return `fit with ${link.name} = ${link.value}`;
  return { ellipses: "show ellipses", edges: link.doubtful ? "show these edges" : "see the edges", pairs: "see the distances", scree: "see the spectrum", dimension: "see the estimates", points: "select these points" }[link.kind] ?? "show";
}
