// The tab of maps: which are there and how they score, a new fit from sliders, and how to repeat it.

import { h, number, put, scoreText } from "./dom.js";

const SIDE_BY_SIDE = 6;

/** Make the tab. */
export function createMaps(app) {
  const list = h("section", {});
  const form = h("section", { "data-part": "fit" });
  const job = h("section", { "data-part": "job" });
  const code = h("section", {});
  const element = h("div", { class: "tab-body" }, list, job, form, code);
  let made = ""; // the map that the form was made from
  let running = null;
  let coded = null;

  return {
    element,
    refresh(state) {
      drawList(state);
      if (app.info.capabilities.fit && made !== state.active) drawForm(state);
      drawCode(state);
    },
    /** A new map has come, or a job has moved. */
    event,
    /** Fit the active map's method with one parameter changed. */
    fitWith(name, value) {
      const map = app.mapOf(app.store.get().active);
      return start(map.method, { ...map.parameters, [name]: value });
    },
  };

  function drawList(state) {
    const names = [...new Set(app.info.maps.flatMap((map) => map.scores.map((score) => score.name)))].slice(0, 4);
    const heads = names.map((name) => app.info.maps.flatMap((map) => map.scores).find((score) => score.name === name));
    const best = Object.fromEntries(heads.map((head) => [head.name, bestOf(head)]));
    put(list,
      h("h2", {}, app.info.maps.length > 1 ? "Maps" : "Map"),
      h("div", { class: "scroll" }, h("table", { class: "maps" },
        h("thead", {}, h("tr", {}, app.info.maps.length > 1 ? h("th", {}) : null, h("th", {}, ""), ...heads.map((head) => h("th", { title: head.meaning }, head.heading)))),
        h("tbody", {}, ...app.info.maps.map((map) => mapRow(map, state, heads, best))))),
      ...(app.mapOf(state.active)?.notes ?? []).map((note) => h("p", { class: "hint" }, note)),
      app.info.maps.length > 1 ? h("div", { class: "row" },
        h("button", { class: "quiet", onclick: () => app.store.set({ maps: app.info.maps.slice(0, SIDE_BY_SIDE).map((map) => map.id) }) }, "side by side"),
        h("button", { class: "quiet", onclick: () => app.store.set({ maps: [state.active] }) }, "only this one")) : null,
      app.info.maps.length > 1 && state.maps.length === 1 ? h("p", { class: "hint" }, app.moves() ? "Choosing another map moves every point to its new place." : `Above ${number(app.info.limits.morph)} points maps are cut, not moved.`) : null);
  }

  function bestOf(head) {
    const values = app.info.maps.flatMap((map) => map.scores.filter((score) => score.name === head.name).map((score) => score.value)).filter(Number.isFinite);
    return head.more_is_better ? Math.max(...values) : Math.min(...values);
  }

  function mapRow(map, state, heads, best) {
    const shown = state.maps.includes(map.id);
    const score = (head) => map.scores.find((one) => one.name === head.name);
    return h("tr", { class: map.id === state.active ? "active" : null },
      app.info.maps.length > 1 ? h("td", { class: "beside", title: "show beside the others" },
        h("input", { type: "checkbox", checked: shown, "aria-label": `show ${map.label} beside the others`, onchange: () => beside(map.id) })) : null,
      h("th", { scope: "row" },
        h("button", { class: "map-name", title: map.words, "data-map": map.id, onclick: () => show(map.id) }, map.label),
        map.seconds ? h("div", { class: "hint" }, `${number(map.seconds, 2)} s`) : null),
      ...heads.map((head) => {
        const value = score(head)?.value;
        return h("td", { class: value === best[head.name] && app.info.maps.length > 1 ? "best" : null, title: score(head)?.standard_error ? `± ${number(score(head).standard_error, 2)}` : null }, scoreText(value));
      }));
  }

  /** Put a map where the active one is: its points move there. */
  function show(id) {
    const state = app.store.get();
    if (state.maps.includes(id)) return app.store.set({ active: id });
    app.store.set({ maps: state.maps.map((map) => (map === state.active ? id : map)), active: id });
  }

  function beside(id) {
    const { maps, active } = app.store.get();
    if (maps.includes(id)) {
      if (maps.length === 1) return drawList(app.store.get());
      const left = maps.filter((map) => map !== id);
      return app.store.set({ maps: left, active: active === id ? left[0] : active });
    }
    if (maps.length >= SIDE_BY_SIDE) {
      app.say(`at most ${SIDE_BY_SIDE} maps fit side by side`);
      return drawList(app.store.get());
    }
    app.store.set({ maps: [...maps, id] });
  }

  function drawForm(state) {
    made = state.active;
    const map = app.mapOf(state.active);
    const chooser = h("select", { class: "wide", "aria-label": "method", onchange: () => fields(chooser.value, {}) },
      ...app.info.methods.map((method) => h("option", { value: method.name }, method.title)));
    chooser.value = map?.method ?? app.info.methods[0]?.name;
    const place = h("div", { class: "parameters" });
    const fields = (method, given) => drawParameters(place, app.info.methods.find((one) => one.name === method), given);
    put(form, h("h2", {}, "Fit again"), chooser, place,
      h("p", { class: "hint" }, "A slider that is released fits in the background; the map you see stays until then."));
    fields(chooser.value, map?.parameters ?? {});
  }

  function drawParameters(place, method, given) {
    if (!method) return put(place);
    const values = {};
    const change = (name, value) => {
      if (value === undefined) delete values[name];
      else values[name] = value;
      start(method.name, values);
    };
    for (const one of method.parameters) if (one.name in given && one.kind !== "text") values[one.name] = given[one.name];
    const field = (one) => parameterField(one, values[one.name] ?? one.default, given[one.name], (value) => change(one.name, value), app.info.n_points);
    const [main, rest] = [method.parameters.filter((one) => one.main), method.parameters.filter((one) => !one.main)];
    put(place,
      method.gives ? h("p", { class: "hint" }, method.gives) : null,
      ...main.map(field),
      rest.length ? h("details", {}, h("summary", {}, `${rest.length} more`), ...rest.map(field)) : null,
      h("button", { class: "main", "data-fit": method.name, onclick: () => start(method.name, values) }, "Fit"));
  }

  async function start(method, parameters) {
    try {
      running = { ...(await app.source.fit(method, parameters)), kind: "fit", stage: "starting" };
      drawJob();
    } catch (error) {
      put(job, h("p", { class: "words fault" }, error.message));
    }
  }

  function event(news) {
    if (news.event === "hello") running = news.job;
    else if (news.event === "progress") running = { ...running, ...news };
    else if (running && news.job !== running.job) return;
    else if (news.event === "done") finished(news);
    else {
      running = null;
      put(job, h("p", { class: "words" }, news.event === "failed" ? news.error : "The fit was cancelled; the map is as it was."));
      return;
    }
    if (running || news.event !== "done") drawJob();
  }

  function finished(news) {
    const before = app.mapOf(app.store.get().active);
    running = null;
    put(job);
    if (news.kind !== "fit") return app.scoreReady(news);
    app.addMap(news.map);
    put(job, h("h2", {}, "Before and after"), comparison(before, news.map));
  }

  // The button stays the same while the fit is told of: one that is replaced under the hand loses the click.
  function drawJob() {
    if (!running) return put(job);
    const share = running.total ? Math.min(running.done / running.total, 1) : null;
    const bar = h("progress", { max: 1, value: share ?? undefined, "aria-label": "progress" });
    if (share === null) bar.removeAttribute("value");
    const told = [h("h2", {}, running.kind === "stability" ? "Fitting parts of the data" : "Fitting"), bar,
      h("p", { class: "hint" }, [running.stage, running.total ? `${number(running.done)} of ${number(running.total)}` : null, running.seconds ? `${number(running.seconds, 2)} s` : null].filter(Boolean).join(" · "))];
    const known = job.querySelector("[data-cancel]");
    if (known?.dataset.cancel === running.job) return put(known.previousElementSibling, ...told);
    put(job, h("div", {}, ...told), cancelButton(running.job));
  }

  function cancelButton(id) {
    return h("button", { class: "quiet", "data-cancel": id, onclick: () => app.source.cancel(id).catch((error) => app.say(error.message, "error")) }, "Cancel");
  }

  async function drawCode(state) {
    if (coded === state.active) return;
    coded = state.active;
    const found = await app.source.code(state.active).catch(() => null);
    if (!found || app.store.get().active !== coded) return;
    put(code, h("h2", {}, "Repeat it"), snippet("as Python", found.python), snippet("as command", found.command));
  }

  function snippet(title, text) {
    if (!text) return null;
    return h("div", { class: "snippet" },
      h("div", { class: "section-head" }, h("span", { class: "hint" }, title), h("button", { class: "link", "data-copy": title, onclick: () => app.copy(text) }, "copy")),
      h("pre", { tabindex: 0 }, h("code", {}, text)));
  }
}

/** Both scores of two maps, and what changed. */
function comparison(before, after) {
  const rows = after.scores.map((score) => {
    const old = before?.scores.find((one) => one.name === score.name)?.value;
    const better = old === undefined || old === score.value ? null : score.value > old === score.more_is_better;
    return h("tr", {}, h("th", { scope: "row", title: score.meaning }, score.heading), h("td", {}, scoreText(old)),
      h("td", { class: better === null ? null : better ? "better" : "worse" }, `${scoreText(score.value)}${better === null ? "" : better ? " ▲" : " ▼"}`));
  });
  return h("table", { class: "maps before-after" },
    h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", { title: before?.words }, "before"), h("th", { title: after.words }, "after"))),
    h("tbody", {}, ...rows));
}

/** A control for one declared parameter. */
function parameterField(one, value, given, act, n) {
  const label = h("span", { title: one.help }, one.name);
  if (one.kind === "bool") {
    return h("label", { class: "check" }, h("input", { type: "checkbox", checked: value === true, "data-parameter": one.name, onchange: (event) => act(event.target.checked) }), label);
  }
  if (one.kind === "choice") {
    const chooser = h("select", { "data-parameter": one.name, onchange: () => act(JSON.parse(chooser.value)) },
      ...[...(one.optional && one.default === null ? [null] : []), ...one.choices].map((choice) => h("option", { value: JSON.stringify(choice) }, choice === null ? "automatic" : String(choice))));
    chooser.value = JSON.stringify(value ?? null);
    return h("label", { class: "field" }, label, chooser);
  }
  if (one.kind === "text") {
    return h("div", { class: "field fixed" }, label, h("code", {}, given === undefined || given === null ? "automatic" : JSON.stringify(given)));
  }
  return numberField(one, value, act, n, label);
}

function numberField(one, value, act, n, label) {
  const whole = one.kind === "int";
  const word = typeof value === "string" ? value : "auto"; // some numbers may be a word instead
  value = typeof value === "number" ? value : null;
  const low = one.low ?? (whole ? 1 : 0);
  const high = one.high ?? highest(one, value, n, whole);
  const step = whole ? 1 : (high - low) / 200 || "any";
  const shown = h("input", { type: "number", min: one.low ?? null, max: one.high ?? null, step: whole ? 1 : "any", value: value ?? "", placeholder: word, "aria-label": `${one.name}, as a number`, onchange: () => act(shown.value === "" ? undefined : Number(shown.value)) });
  const range = h("input", {
    type: "range", min: low, max: high, step, value: value ?? low, "data-parameter": one.name, "aria-label": one.name,
    oninput: () => {
      shown.value = Number(Number(range.value).toPrecision(4));
      range.parentElement.classList.remove("unset");
    },
    onchange: () => act(Number(range.value)),
  });
  return h("div", { class: value === null ? "field number unset" : "field number" }, label, range, shown);
}

/** An end for a slider that has none of its own. */
function highest(one, value, n, whole) {
  if (one.name === "n_components") return Math.max(10, value ?? 0);
  if (one.name === "n_neighbors") return Math.max(Math.min(100, n - 1), value ?? 0);
  if (whole) return Math.max(4 * (value ?? (Number(one.default) || 25)), 20);
  return Math.max(4 * (value ?? (Number(one.default) || 1)), 1);
}
