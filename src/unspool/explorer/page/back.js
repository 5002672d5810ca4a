// The way back: what lies at a place of the map, as a picture or as bars, and how far the data are.

import { h, number, put } from "./dom.js";

const PAUSE = 60; // ms between questions while the pointer moves
const BARS = 24;

/** Watch places of the map and show what would lie there. */
export function createBack(app, element) {
  let asking = false;
  let wanted = null;
  let trail = null; // {panel, places, frame, at, timer, slider, output, view}

  return { refresh, place, trail: follow, stop };

  function refresh(state) {
    const can = app.info.capabilities.inverse && app.mapOf(state.active)?.can?.inverse;
    if (!app.info.capabilities.inverse) return put(element);
    if (state.tool !== "back" && !trail) {
      put(element, h("h2", {}, "The way back"), h("p", { class: "hint" },
        can ? "Choose the way back (b) and move over empty map to see what would lie there; drag to see one shape turn into another." : "This method has no way back from the map."));
    } else if (!element.querySelector(".back-view")) {
      put(element, h("h2", {}, "The way back"), h("div", { class: "back-view" }, h("p", { class: "hint" }, "Move over the map.")));
    }
  }

  function possible(panel) {
    const map = app.mapOf(panel.map);
    return map?.can?.inverse && (map.q < 3 || app.store.get().dimensions === 2) && map.coordinates <= 2;
  }

  function place(panel, at) {
    if (trail || app.store.get().tool !== "back") return;
    panel.view.setScene({ place: at });
    if (!at) return;
    if (!possible(panel)) return refuse(panel);
    wanted = { panel, at };
    ask();
  }

  function refuse(panel) {
    show(h("p", { class: "hint" }, `${app.mapOf(panel.map)?.label} has no way back from two coordinates.`));
  }

  async function ask() {
    if (asking || !wanted) return;
    asking = true;
    const { panel, at } = wanted;
    wanted = null;
    try {
      const frame = await app.source.inverse(panel.map, [at.slice(0, app.mapOf(panel.map).q)]);
      if (!trail && app.store.get().tool === "back") show(drawn(frame, 0));
    } catch (error) {
      show(h("p", { class: "hint" }, error.message));
    }
    setTimeout(() => {
      asking = false;
      ask();
    }, PAUSE);
  }

  /** Drag along the map: the places while it goes, the morph when it ends. */
  async function follow(panel, places, done) {
    if (!possible(panel)) return refuse(panel);
    stop();
    panel.view.setScene({ trail: { places, at: places.length - 1 }, place: null });
    if (!done) return;
    const sampled = evenly(places, app.info.limits.inverse ?? 64);
    try {
      const frame = await app.source.inverse(panel.map, sampled);
      trail = { panel, places: sampled, frame, at: 0, ...control(sampled.length) };
      play();
    } catch (error) {
      app.say(error.message, "error");
    }
  }

  function play() {
    clearInterval(trail.timer);
    trail.timer = setInterval(() => {
      if (trail.at + 1 >= trail.places.length) return clearInterval(trail.timer);
      goTo(trail.at + 1);
    }, 90);
    goTo(0);
  }

  /** The slider stays while the path is shown: a new one for each place would slip from the hand. */
  function control(count) {
    const slider = h("input", {
      type: "range", min: 0, max: count - 1, step: 1, value: 0, "aria-label": "place along the path",
      onfocus: () => clearInterval(trail.timer),
      oninput: () => {
        clearInterval(trail.timer);
        goTo(Number(slider.value));
      },
    });
    return { slider, output: h("output", {}), view: h("div", {}) };
  }

  function goTo(at) {
    const { panel, places, frame, slider, output, view } = trail;
    trail.at = at;
    panel.view.setScene({ trail: { places, at } });
    if (!element.contains(slider)) showTrail();
    slider.value = at;
    output.textContent = `${at + 1} of ${places.length}`;
    put(view, drawn(frame, at));
  }

  function showTrail() {
    show(trail.view,
      h("label", { class: "field" }, h("span", {}, "Along"), trail.slider, trail.output),
      h("div", { class: "row" },
        h("button", { class: "link", onclick: play }, "play again"),
        h("button", { class: "link", onclick: () => (stop(), refresh(app.store.get())) }, "leave the path")));
  }

  function stop() {
    if (!trail) return;
    clearInterval(trail.timer);
    trail.panel.view.setScene({ trail: null });
    trail = null;
    put(element);
  }

  function show(...children) {
    put(element, h("h2", {}, "The way back"), h("div", { class: "back-view" }, ...children));
  }

  function drawn(frame, k) {
    const d = frame.arrays.rows.shape[1];
    const row = frame.arrays.rows.subarray(k * d, (k + 1) * d);
    const far = frame.arrays.far[k] === 1;
    return h("div", { "data-far": String(far) },
      app.info.image ? pictureOf(row, app.info.image) : barsOf(app, row, frame.columns),
      h("p", { class: far ? "words fault" : "words" }, frame.words[k]),
      h("dl", { class: "facts" },
        h("dt", {}, "nearest data"), h("dd", {}, number(frame.arrays.distance[k], 3)),
        h("dt", {}, "usual among the data"), h("dd", {}, number(frame.typical, 3))));
  }
}

/** At most `most` places of a polyline, evenly by arc length. */
function evenly(places, most) {
  const lengths = [0];
  for (let k = 1; k < places.length; k++) lengths.push(lengths[k - 1] + Math.hypot(places[k][0] - places[k - 1][0], places[k][1] - places[k - 1][1]));
  const total = lengths[lengths.length - 1];
  const count = Math.min(most, 40);
  let k = 0;
  return Array.from({ length: count }, (_, step) => {
    const at = (total * step) / (count - 1);
    while (k + 2 < lengths.length && lengths[k + 1] < at) k++;
    const share = (at - lengths[k]) / (lengths[k + 1] - lengths[k] || 1);
    return [0, 1].map((axis) => places[k][axis] + share * (places[k + 1][axis] - places[k][axis]));
  });
}

/** Draw a row as the picture that it is. */
function pictureOf(row, { height, width, channels, low, high }) {
  const canvas = h("canvas", { class: "back-picture", width, height, role: "img", "aria-label": "what would lie at this place" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const level = (value) => (255 * (value - low)) / (high - low || 1);
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = level(row[i * channels + (channels === 1 ? 0 : c)]);
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Draw a row as bars between the least and the largest value of each column. */
function barsOf(app, row, names) {
  const ranges = app.info.columns.filter((column) => column.mapped);
  const shown = Math.min(row.length, BARS);
  const bars = Array.from({ length: shown }, (_, k) => {
    const column = ranges.find((one) => one.name === names[k]);
    const [low, high] = [column?.low ?? Math.min(...row), column?.high ?? Math.max(...row)];
    const bar = h("div", { class: "bar-fill" });
    bar.style.width = `${100 * Math.min(Math.max((row[k] - low) / (high - low || 1), 0), 1)}%`;
    return [h("dt", { title: names[k] }, names[k]), h("dd", { class: "bar-line" }, h("div", { class: "bar-track" }, bar), h("span", {}, number(row[k], 3)))];
  });
  return h("div", {}, h("dl", { class: "bars" }, ...bars.flat()),
    row.length > shown ? h("p", { class: "hint" }, `and ${number(row.length - shown)} more columns`) : null);
}
