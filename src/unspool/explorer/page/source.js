// What the page asks for, over any transport: a server, recorded answers of a file, a notebook.

import { decodeFrame, encodeFrame } from "./frame.js";

/** Give the questions of the page over a transport. */
export function connect(transport) {
  const kept = new Map(); // answers that do not change

  async function ask(method, path, query = {}, body = null) {
    const answer = await transport.request(method, path, query, body);
    if (answer.status >= 400) throw refusal(answer);
    return answer;
  }
  const json = async (...given) => readText((await ask(...given)).bytes);
  const frame = async (...given) => decodeFrame((await ask(...given)).bytes);

  function once(read, path, query) {
    const key = `${path}?${new URLSearchParams(query)}`;
    if (!kept.has(key)) {
      const promise = read("GET", path, query);
      kept.set(key, promise);
      promise.catch(() => kept.delete(key));
    }
    return kept.get(key);
  }

  return {
    info: () => json("GET", "/api/info"),
    points: (map) => once(frame, "/api/points", { map }),
    column: (index) => once(frame, "/api/column", { index }),
    score: (map, name) => once(frame, "/api/score", { map, name }),
    row: (point) => once(json, "/api/row", { point }),
    thumbnail: async (point) => new Blob([(await ask("GET", "/api/thumbnail", { point })).bytes], { type: "image/png" }),
    sheet: () => once(frame, "/api/sheet", {}),
    neighbors: (map, point, k) => json("GET", "/api/neighbors", { map, point, k }),
    path: (map, from, to) => json("GET", "/api/path", { map, from, to }),
    ellipses: (map) => once(frame, "/api/ellipses", { map }),
    pairs: (map) => once(frame, "/api/pairs", { map }),
    edges: (map) => once(frame, "/api/edges", { map }),
    charts: (map) => once(json, "/api/charts", { map }),
    diagnosis: (map) => once(json, "/api/diagnosis", { map }),
    inverse: (map, places) => frame("POST", "/api/inverse", { map }, JSON.stringify({ places })),
    search: (text) => json("GET", "/api/search", { text }),
    code: (map) => once(json, "/api/code", { map }),
    fit: (method, parameters) => json("POST", "/api/jobs", {}, JSON.stringify({ kind: "fit", method, parameters })),
    stability: (map) => json("POST", "/api/jobs", {}, JSON.stringify({ kind: "stability", map })),
    cancel: (job) => json("DELETE", `/api/jobs/${job}`),
    drop: async (map, file) => frame("POST", "/api/drop", { map, name: file.name }, await file.arrayBuffer()),
    rows: (points, codes, labels, format) =>
      ask("POST", "/api/rows", { format }, encodeFrame({ labels }, { points, codes })),
    page: (maps) => ask("GET", "/api/page", { maps: maps.join(",") }),
    listen: (onEvent) => transport.listen(onEvent),
  };
}

/** An answer that says no, in its own sentence. */
function refusal(answer) {
  let sentence = `the request was refused (${answer.status})`;
  let found = {};
  try {
    found = readText(answer.bytes);
    sentence = found.error ?? sentence;
  } catch {
    // not JSON: the status says enough
  }
  return Object.assign(new Error(sentence), { status: answer.status, job: found.job });
}

function readText(bytes) {
  return JSON.parse(new TextDecoder().decode(bytes));
}
