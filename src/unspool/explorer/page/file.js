// The page in a file of its own: recorded answers, and what can be put together from them.

import { decodeFrame } from "./frame.js";
import { mount } from "./main.js";

/** Mount the page into an element, with the answers that its document holds. */
export function start(element) {
  const compact = element.dataset.compact === "true";
  element.classList.add("unspool");
  return mount(element, recordedAnswers(element), { host: "file", compact });
}

function recordedAnswers(element) {
  const place = element.dataset.answers
    ? element.ownerDocument.getElementById(element.dataset.answers)
    : element.ownerDocument;
  const found = new Map();
  for (const script of place.querySelectorAll("script.unspool-answer")) found.set(script.dataset.key, script);
  const read = (key) => (found.has(key) ? unpack(found.get(key)) : Promise.resolve(null));
  const composed = composer(read);
  return {
    async request(method, path, query, body) {
      const recorded = method === "GET" ? await read(keyOf(path, query)) : null;
      return recorded ?? (await composed(path, query, body)) ?? refused();
    },
    listen: () => () => {},
  };
}

function keyOf(path, query) {
  const fields = Object.keys(query).sort().map((name) => `${name}=${query[name]}`);
  return fields.length ? `${path}?${fields.join("&")}` : path;
}

async function unpack(script) {
  const bytes = Uint8Array.from(atob(script.textContent.trim()), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return { status: 200, type: script.dataset.type, bytes: await new Response(plain).arrayBuffer() };
}

const encoded = (value) => new TextEncoder().encode(JSON.stringify(value)).buffer;
const answered = (value) => ({ status: 200, type: "application/json", bytes: encoded(value) });

function refused() {
  return { status: 404, type: "application/json", bytes: encoded({ error: "this file does not hold that" }) };
}

/** Answer from the columns and the table of neighbours what a server would compute. */
function composer(read) {
  const kept = new Map(); // unpacked once, however often a pointer asks
  const once = (key, make) => kept.get(key) ?? kept.set(key, make()).get(key);
  const json = (key) =>
    once(key, async () => {
      const answer = await read(key);
      return answer && JSON.parse(new TextDecoder().decode(answer.bytes));
    });
  const frame = (key) =>
    once(key, async () => {
      const answer = await read(key);
      return answer && decodeFrame(answer.bytes);
    });
  const columns = () =>
    once("columns", async () => {
      const info = await json("/api/info");
      const found = await Promise.all(info.columns.map(({ index }) => frame(`/api/column?index=${index}`)));
      return info.columns.map((column, k) => ({ ...column, data: found[k] })).filter((column) => column.data);
    });
  const ids = () => json("/api/ids");
  const routes = {
    "/api/row": async ({ point }) => answered(rowOf(Number(point), await columns(), await ids())),
    "/api/neighbors": async ({ map, point, k }) => {
      const table = await frame(`/api/neighbor-table?k=10&map=${map}`);
      const places = await frame(`/api/points?map=${map}`);
      return table && answered(neighborsOf(table, places, Number(point), Number(k)));
    },
    "/api/search": async ({ text }) => answered(searchIn(text, await columns(), await ids())),
    "/api/rows": async (query, body) => ({
      status: 200,
      type: "text/csv",
      bytes: new TextEncoder().encode(csvOf(decodeFrame(body), await columns(), await ids())).buffer,
    }),
  };
  return async (path, query, body) => routes[path]?.(query, body);
}

function cell(column, point) {
  if (column.data.kind === "category") {
    const code = column.data.arrays.codes[point];
    return code < 0 ? "" : column.data.labels[code];
  }
  if (column.data.kind !== "number") return "";
  const value = column.data.arrays.values[point];
  return Number.isNaN(value) ? "" : Number(value.toPrecision(7));
}

function rowOf(point, columns, ids) {
  const shown = columns.filter((column) => column.data.kind !== "text");
  return {
    point,
    id: ids?.[point] ?? null,
    values: shown.slice(0, 60).map((column) => [column.name, cell(column, point)]),
    more: Math.max(0, shown.length - 60),
    label: null,
  };
}

function neighborsOf(table, places, point, wanted) {
  const width = table.arrays.neighbors.shape[1];
  const k = Math.min(wanted, width);
  const take = (name) => Array.from(table.arrays[name].subarray(point * width, point * width + k));
  const [neighbors, mapped] = [take("neighbors"), take("map_neighbors")];
  const kept = neighbors.filter((other) => mapped.includes(other));
  const lost = neighbors.filter((other) => !mapped.includes(other));
  const wrong = mapped.filter((other) => !neighbors.includes(other));
  return {
    point, k, neighbors, kept, lost,
    distances: take("distances"),
    map_neighbors: mapped,
    map_distances: mapped.map((other) => apart(places, point, other)),
    false: wrong,
    words: `${kept.length} of the ${k} true neighbours are near on the map; ${lost.length} lost, ${wrong.length} of the nearest on the map are false`,
  };
}

function apart({ arrays, q }, one, other) {
  let sum = 0;
  for (let axis = 0; axis < q; axis++) sum += (arrays.places[one * q + axis] - arrays.places[other * q + axis]) ** 2;
  return Math.sqrt(sum);
}

const COMPARISON = /^(.+?)\s*(<=|>=|=|<|>)\s*(.+)$/;
const TESTS = {
  "=": (value, wanted) => value === wanted,
  "<": (value, wanted) => value < wanted,
  ">": (value, wanted) => value > wanted,
  "<=": (value, wanted) => value <= wanted,
  ">=": (value, wanted) => value >= wanted,
};

function searchIn(text, columns, ids) {
  const accept = acceptance(text.trim(), columns, ids);
  const n = ids?.length ?? columns[0]?.data.arrays[columns[0].data.kind === "number" ? "values" : "codes"]?.length ?? 0;
  const points = [];
  let total = 0;
  for (let point = 0; point < n; point++) {
    if (accept(point) && ++total <= 10_000) points.push(point);
  }
  return { points, total, words: `${total} ${total === 1 ? "row" : "rows"} found` };
}

function acceptance(text, columns, ids) {
  if (/^#\d+$/.test(text)) return (point) => point === Number(text.slice(1));
  const compared = COMPARISON.exec(text);
  const column = compared && columns.find(({ name }) => name === compared[1]);
  if (column) {
    const numeric = column.data.kind === "number";
    const wanted = numeric ? Number(compared[3]) : compared[3];
    return (point) => cell(column, point) !== "" && TESTS[compared[2]](cell(column, point), wanted);
  }
  const wanted = text.toLowerCase();
  const texts = columns.filter((one) => one.data.kind === "category");
  return (point) =>
    (ids && String(ids[point]).toLowerCase().includes(wanted)) ||
    texts.some((one) => String(cell(one, point)).toLowerCase().includes(wanted));
}

function csvOf(frame, columns, ids) {
  const quoted = (value) => {
    const text = String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const head = [...(ids ? ["id"] : ["row"]), ...columns.map((column) => column.name), "label"];
  const lines = [head.map(quoted).join(",")];
  frame.arrays.points.forEach((point, k) => {
    const values = [ids ? ids[point] : point, ...columns.map((column) => cell(column, point))];
    lines.push([...values, frame.labels[frame.arrays.codes[k]] ?? ""].map(quoted).join(","));
  });
  return `${lines.join("\n")}\n`;
}
