// The page on its server.

import { mount } from "./main.js";

const EVENTS = ["hello", "progress", "done", "failed", "cancelled", "closing"];
const SHOWN = 300; // ms for the first frame, before the server makes ready what may be asked next

const transport = {
  async request(method, path, query, body) {
    const fields = new URLSearchParams(query).toString();
    const answer = await fetch(fields ? `${path}?${fields}` : path, { method, body, credentials: "same-origin" });
    return {
      status: answer.status,
      type: answer.headers.get("content-type") ?? "",
      bytes: await answer.arrayBuffer(),
    };
  },
  listen(onEvent) {
    const stream = new EventSource("/api/events");
    for (const event of EVENTS) {
      stream.addEventListener(event, (message) => {
        if (event === "closing") stream.close();
        onEvent({ ...JSON.parse(message.data), event });
      });
    }
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) onEvent({ event: "closing", reason: "the server has ended" });
    });
    return () => stream.close();
  },
};

addEventListener("pagehide", () => navigator.sendBeacon("/api/bye"));
const { opened } = mount(document.getElementById("app"), transport, { host: "server" });
opened
  .then((app) => app.board.drawn)
  .then(() => setTimeout(() => navigator.sendBeacon("/api/drawn"), SHOWN))
  .catch(() => {}); // the page has said why it did not open
