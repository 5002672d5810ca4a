// Pointer, wheel, touch and keys on a map, as intentions.

const STILL = 5; // pixels that a click may wander
const REST = 180; // ms after which a gesture is over
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Listen on a stage. `map` says what is there and what to do. */
export function handle(stage, map) {
  const down = new Map(); // pointers that are pressed
  let gesture = null;
  let pinch = null;
  let rest = 0;

  stage.addEventListener("pointerdown", (event) => {
    if (event.target.closest?.("button, a, input, select")) return;
    stage.classList.add("by-pointer"); // a ring is for those who need to see where the keys go
    stage.focus({ preventScroll: true });
    try {
      stage.setPointerCapture(event.pointerId);
    } catch {
      // a pointer that is gone already, or was made by a program
    }
    down.set(event.pointerId, pixel(event));
    map.leaveCursor();
    if (down.size === 2) {
      gesture = null;
      map.band(null);
      pinch = spread(down);
    } else if (down.size === 1) gesture = begin(event);
  });

  stage.addEventListener("pointermove", (event) => {
    const at = pixel(event);
    if (down.has(event.pointerId)) down.set(event.pointerId, at);
    if (pinch && down.size === 2) return pinchTo(spread(down));
    if (gesture) return drag(event, at);
    if (event.pointerType !== "touch") look(at);
  });

  const end = (event) => {
    down.delete(event.pointerId);
    if (down.size < 2) pinch = null;
    if (gesture && event.type === "pointerup") finish(event);
    if (!down.size) gesture = null;
  };
  stage.addEventListener("pointerup", end);
  stage.addEventListener("pointercancel", (event) => {
    map.band(null);
    end(event);
  });
  stage.addEventListener("pointerleave", () => {
    map.hover(-1, null);
    map.place(null, null);
  });
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), pixel(event));
  }, { passive: false });
  stage.addEventListener("dblclick", () => map.fit());
  stage.addEventListener("keydown", onKey);

  function pixel(event) {
    const box = stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  function begin(event) {
    const at = pixel(event);
    const tool = map.tool();
    const kind = tool === "pan" && event.shiftKey ? "lasso" : tool;
    return { kind, from: at, last: at, moved: false, corners: [at] };
  }

  function drag(event, at) {
    gesture.moved ||= Math.hypot(at[0] - gesture.from[0], at[1] - gesture.from[1]) > STILL;
    if (!gesture.moved) return;
    const [dx, dy] = [at[0] - gesture.last[0], at[1] - gesture.last[1]];
    gesture.last = at;
    if (gesture.kind === "lasso") map.band(lassoed(gesture, at));
    else if (gesture.kind === "rectangle") map.band((gesture.corners = box(gesture.from, at)));
    else if (gesture.kind === "back" && !map.solid()) map.trail(trailed(gesture, at), false);
    else moveBy(dx, dy, event);
  }

  function lassoed(current, at) {
    const last = current.corners[current.corners.length - 1];
    if (Math.hypot(at[0] - last[0], at[1] - last[1]) > 3) current.corners.push(at);
    return current.corners;
  }

  function trailed(current, at) {
    const last = current.corners[current.corners.length - 1];
    if (Math.hypot(at[0] - last[0], at[1] - last[1]) > 6) current.corners.push(at);
    const through = map.lens();
    return current.corners.map(([x, y]) => through.place(x, y));
  }

  function moveBy(dx, dy, event) {
    const through = map.lens();
    const turning = through.turn && !(event.altKey || event.buttons === 2);
    settle(turning ? through.turn(dx, dy) : through.pan(dx, dy));
  }

  function finish(event) {
    const { kind, moved, corners, from } = gesture;
    gesture = null;
    map.band(null);
    if (!moved) return map.click(map.pick(...from), map.lens().place(...from), event);
    if (kind === "back" && !map.solid()) return map.trail(trailed({ corners }, pixel(event)), true);
    if ((kind === "lasso" && corners.length > 2) || kind === "rectangle") map.lasso(map.enclosed(corners), event);
  }

  function look(at) {
    if (map.tool() === "back") map.place(map.lens().place(...at), at);
    map.hover(map.pick(...at), at);
  }

  function settle(camera) {
    map.move(camera, false);
    clearTimeout(rest);
    rest = setTimeout(() => map.move(camera, true), REST);
  }

  function zoomAt(factor, at) {
    settle(map.lens().zoom(Math.min(Math.max(factor, 0.2), 5), ...at));
  }

  function pinchTo(next) {
    const through = map.lens();
    const moved = through.pan(next.center[0] - pinch.center[0], next.center[1] - pinch.center[1]);
    map.move(moved, false);
    zoomAt(next.apart / (pinch.apart || 1), next.center);
    pinch = next;
  }

  function onKey(event) {
    stage.classList.remove("by-pointer");
    if (event.ctrlKey || event.metaKey || event.target !== stage) return;
    const arrow = ARROWS[event.key];
    const middle = [stage.clientWidth / 2, stage.clientHeight / 2];
    if (arrow && event.shiftKey) map.step(arrow);
    else if (arrow) moveBy(-40 * arrow[0], -40 * arrow[1], { altKey: false, buttons: 1 });
    else if (event.key === "+" || event.key === "=") zoomAt(1.3, middle);
    else if (event.key === "-") zoomAt(1 / 1.3, middle);
    else if (event.key === "0") map.fit();
    else if (event.key === "Enter" && map.cursor() >= 0) map.click(map.cursor(), null, event);
    else return;
    event.preventDefault();
  }
}

function spread(down) {
  const [one, other] = [...down.values()];
  return {
    center: [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2],
    apart: Math.hypot(one[0] - other[0], one[1] - other[1]),
  };
}

function box([x0, y0], [x1, y1]) {
  return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
}
