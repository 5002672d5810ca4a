// What the page shows, as one plain value: every change is a new one, so that undo, the address and
// linked views need no code of their own.

export const INITIAL = Object.freeze({
  maps: [], // ids, side by side
  active: null, // the map that panels speak of
  dimensions: 2,
  cameras: {}, // by map: null fits all points
  color: null, // {kind: "column", index} | {kind: "score", name} | null
  hidden: [], // codes of the legend that are switched off
  range: null, // [low, high] kept of a continuous colour
  size: 4,
  sizeBy: null, // index of a column
  opacity: 0.85,
  labels: true,
  images: true,
  ellipses: false,
  tool: "pan",
  tab: "look",
  theme: "auto",
  focus: null, // the point that was clicked
  neighbors: 10,
  path: [], // no, one or two points
  selection: [],
  lit: null, // {kind: "pairs" | "edges", box} brushed in a chart
});

const TRANSIENT = new Set(["tab", "theme", "tool"]); // not worth a step of undo
const COALESCE = 700; // ms in which changes of one kind count as one step

/** Keep a state with its past: `set` changes it, `undo` goes back. */
export function createStore(initial) {
  let state = Object.freeze({ ...INITIAL, ...initial });
  let past = [];
  let future = [];
  let last = { keys: "", time: 0 };
  const listeners = new Set();

  function move(next) {
    const previous = state;
    state = Object.freeze(next);
    for (const listener of listeners) listener(state, previous);
  }

  function remember(keys) {
    const now = performance.now();
    if (keys.every((key) => TRANSIENT.has(key))) return;
    const same = last.keys === keys.join() && now - last.time < COALESCE;
    last = { keys: keys.join(), time: now };
    if (!same) past = [...past.slice(-99), state];
    future = [];
  }

  return {
    get: () => state,
    set(change) {
      const keys = Object.keys(change).filter((key) => !equal(change[key], state[key]));
      if (!keys.length) return;
      remember(keys);
      move({ ...state, ...change });
    },
    /** Change without a step of undo: what follows from another change. */
    adjust(change) {
      if (Object.keys(change).some((key) => !equal(change[key], state[key]))) {
        move({ ...state, ...change });
      }
    },
    undo: () => step(past, future),
    redo: () => step(future, past),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  function step(from, to) {
    if (!from.length) return false;
    to.push(state);
    last = { keys: "", time: 0 };
    const kept = Object.fromEntries([...TRANSIENT].map((key) => [key, state[key]]));
    move({ ...from.pop(), ...kept });
    return true;
  }
}

const LARGE = 2000; // entries that are not compared one by one

function equal(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one?.length > LARGE || other?.length > LARGE) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

const LONGEST = 400; // runs of a selection that an address holds

/** Write what differs from the beginning as the fragment of an address. */
export function toAddress(state, initial) {
  const fields = new URLSearchParams();
  for (const key of Object.keys(INITIAL)) {
    if (equal(state[key], initial[key])) continue;
    const value = key === "selection" ? runs(state.selection) : JSON.stringify(state[key]);
    if (value !== null) fields.set(key, value);
  }
  return fields.toString();
}

/** Read a fragment; what is not understood is left out. */
export function fromAddress(text) {
  const change = {};
  for (const [key, value] of new URLSearchParams(text)) {
    if (!(key in INITIAL)) continue;
    try {
      const read = key === "selection" ? fromRuns(value) : JSON.parse(value);
      if (fits(read, INITIAL[key], key)) change[key] = read;
    } catch {
      // an address that was cut or edited by hand
    }
  }
  return change;
}

function fits(value, model, key) {
  if (key === "cameras") return value !== null && typeof value === "object" && !Array.isArray(value);
  if (Array.isArray(model)) return Array.isArray(value);
  return model === null || typeof value === typeof model;
}

/** Sorted numbers as runs, "3-7.12", or null where there are too many for an address. */
function runs(points) {
  if (points.length > LONGEST * 500) return null;
  const found = [];
  const sorted = [...points].sort((a, b) => a - b);
  for (const point of sorted) {
    const run = found[found.length - 1];
    if (run && run[1] === point - 1) run[1] = point;
    else found.push([point, point]);
    if (found.length > LONGEST) return null;
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(".");
}

function fromRuns(text) {
  const points = [];
  for (const run of text.split(".").filter(Boolean)) {
    const [from, to = from] = run.split("-").map(Number);
    if (!Number.isInteger(from) || !Number.isInteger(to)) throw new Error("not a run");
    for (let point = from; point <= to && points.length < 2e6; point++) points.push(point);
  }
  return points;
}
