// The page inside a notebook: requests are messages to the kernel.

import { mount } from "./main.js";

function transportOf(model, onAnswer) {
  const waiting = new Map();
  const listeners = new Set();
  let next = 1;

  function onMessage(message, buffers) {
    if (message.kind === "event") listeners.forEach((listener) => listener(message.event));
    if (message.kind !== "answer" || !waiting.has(message.id)) return;
    onAnswer();
    waiting.get(message.id)({ status: message.status, type: message.type, bytes: copied(buffers?.[0]) });
    waiting.delete(message.id);
  }
  model.on("msg:custom", onMessage);

  return {
    request(method, path, query, body) {
      const id = next++;
      const binary = body instanceof ArrayBuffer;
      const message = { kind: "request", id, method, path, query, body: binary ? null : body };
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        model.send(message, undefined, binary ? [body] : []);
      });
    },
    listen(onEvent) {
      listeners.add(onEvent);
      return () => listeners.delete(onEvent);
    },
    close: () => model.off("msg:custom", onMessage),
  };
}

/** Kernels hand out views into larger buffers, at any offset. */
function copied(view) {
  if (!view) return new ArrayBuffer(0);
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice().buffer;
}

/** The theme that was asked for; else that of the notebook, where it says which it has. */
function themeOf(model) {
  const light = document.body.dataset.jpThemeLight;
  return model.get("theme") === "auto" && light ? (light === "true" ? "light" : "dark") : model.get("theme");
}

/** A notebook keeps a picture beside the page, which goes once a kernel answers. */
function hiddenPicture(model) {
  const rule = document.createElement("style");
  rule.textContent = `[data-unspool-still="${model.get("still")}"] { display: none; }`;
  return rule;
}

function render({ model, el }) {
  const rule = hiddenPicture(model);
  const transport = transportOf(model, () => rule.isConnected || document.head.append(rule));
  const root = document.createElement("div");
  root.classList.add("unspool", "in-notebook");
  root.dataset.lmSuppressShortcuts = "true"; // else JupyterLab takes Enter, letters and digits for its own
  root.style.height = `${model.get("height")}px`;
  el.append(root);
  const page = mount(root, transport, { host: "widget", theme: themeOf(model) });
  let own = ""; // what this page itself has sent
  page.onSelect((points) => {
    own = points.join();
    model.set("selection", points);
    model.save_changes();
  });
  const select = () => {
    const points = model.get("selection") ?? [];
    if (points.join() !== own) page.select(points);
  };
  select();
  model.on("change:selection", select);
  const resize = () => (root.style.height = `${model.get("height")}px`);
  model.on("change:height", resize);
  const recolor = () => page.setTheme(themeOf(model));
  model.on("change:theme", recolor);
  const around = new MutationObserver(recolor);
  around.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  return () => {
    model.off("change:selection", select);
    model.off("change:height", resize);
    model.off("change:theme", recolor);
    around.disconnect();
    rule.remove();
    transport.close();
    page.destroy();
  };
}

export default { render };
