// Points drawn by WebGL2, in the plane and in space: every point, in an order that favors none.

import { h } from "./dom.js";

const VERTEX = `#version 300 es
in vec3 a_from;
in vec3 a_to;
in vec4 a_color;
in vec4 a_mark; // state, shape, size, unused
uniform mat4 u_matrix;
uniform float u_share, u_size, u_opacity, u_solid, u_eye;
out vec4 v_color;
out float v_pixels;
flat out int v_shape;
void main() {
  float state = a_mark.x; // 0 hidden, 1 shown, 2 beside a selection, 3 selected
  vec4 at = u_matrix * vec4(mix(a_from, a_to, u_share), 1.0);
  if (state < 0.5) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); gl_PointSize = 0.0; return; }
  gl_Position = at;
  float near = u_solid > 0.5 ? clamp(u_eye / at.w, 0.4, 2.5) : 1.0;
  v_pixels = max(u_size * (a_mark.z / 85.0) * near, 1.0) + 1.0; // one more for the soft edge
  gl_PointSize = v_pixels;
  float beside = state > 1.5 && state < 2.5 ? 0.16 : 1.0;
  float fog = u_solid > 0.5 ? clamp(0.35 + 0.65 * (near - 0.7) / 0.6, 0.35, 1.0) : 1.0;
  v_color = vec4(a_color.rgb, u_opacity * beside * fog);
  v_shape = int(a_mark.y + 0.5);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 v_color;
in float v_pixels;
flat in int v_shape;
uniform float u_solid;
out vec4 color;
void main() {
  vec2 p = (gl_PointCoord - 0.5) * v_pixels; // pixels from the center
  float r = (v_pixels - 1.0) * 0.5;
  float away;
  if (v_shape == 0) away = length(p) - r;
  else if (v_shape == 1) away = max(abs(p.x) * 0.894 - p.y * 0.447, p.y) - r * 0.62;
  else if (v_shape == 2) away = max(abs(p.x), abs(p.y)) - r * 0.84;
  else away = (abs(p.x) + abs(p.y)) * 0.8 - r * 0.9;
  float cover = clamp(0.5 - away, 0.0, 1.0);
  if (cover < (u_solid > 0.5 ? 0.5 : 0.01)) discard;
  float alpha = v_color.a * cover;
  color = vec4(v_color.rgb * alpha, alpha);
}`;

const ATTRIBUTES = ["a_from", "a_to", "a_color", "a_mark"];
const UNIFORMS = ["u_matrix", "u_share", "u_size", "u_opacity", "u_solid", "u_eye"];

let spare = null; // a drawing that waits for its map

/** Make the first drawing while the data are on their way: a browser takes a while for it. */
export function prepareScatter() {
  if (spare) return;
  spare = makeScatter();
  const dot = { places: new Float32Array(3), q: 3 };
  spare.move(dot, dot);
  spare.paint(new Uint8Array(4));
  spare.mark(new Uint8Array(4).fill(1));
  spare.draw({ matrix: new Float32Array(16), share: 1, size: 1, opacity: 0, solid: false, eye: 1, pixels: 1 });
}

/** Make a drawing of points, with the canvas it is on. */
export function createScatter() {
  const made = spare ?? makeScatter();
  spare = null;
  return made;
}

function makeScatter() {
  const canvas = h("canvas", { class: "points" });
  const gl = canvas.getContext("webgl2", { alpha: true, antialias: false, premultipliedAlpha: true });
  if (!gl) throw new Error("this browser has no WebGL2: the map cannot be drawn here");
  const program = link(gl);
  const places = Object.fromEntries(ATTRIBUTES.map((name) => [name, gl.getAttribLocation(program, name)]));
  const uniforms = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]));
  const buffers = Object.fromEntries([...ATTRIBUTES, "order", "chosen"].map((name) => [name, gl.createBuffer()]));
  const held = { n: 0, n_chosen: 0 };
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  function load(name, values, size, type) {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(places[name]);
    gl.vertexAttribPointer(places[name], size, type, name === "a_color", 0, 0);
  }

  return {
    canvas,
    /** Set where points come from and go to: {places, q} each. */
    move(from, to) {
      held.n = to.places.length / to.q;
      load("a_from", from.places, from.q, gl.FLOAT);
      load("a_to", to.places, to.q, gl.FLOAT);
      if (held.ordered === held.n) return;
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers.order);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mixedOrder(held.n), gl.STATIC_DRAW);
      held.ordered = held.n;
    },
    paint: (rgba) => load("a_color", rgba, 4, gl.UNSIGNED_BYTE),
    mark: (marks) => load("a_mark", marks, 4, gl.UNSIGNED_BYTE),
    /** Say which points lie on top. */
    choose(points) {
      held.n_chosen = points.length;
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers.chosen);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(points), gl.DYNAMIC_DRAW);
    },
    draw({ matrix, share, size, opacity, solid, eye, pixels }) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      if (!held.n) return;
      if (solid) gl.enable(gl.DEPTH_TEST);
      else gl.disable(gl.DEPTH_TEST);
      gl.uniformMatrix4fv(uniforms.u_matrix, false, matrix);
      gl.uniform1f(uniforms.u_share, share);
      gl.uniform1f(uniforms.u_size, size * pixels);
      gl.uniform1f(uniforms.u_opacity, opacity);
      gl.uniform1f(uniforms.u_solid, solid ? 1 : 0);
      gl.uniform1f(uniforms.u_eye, eye);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers.order);
      gl.drawElements(gl.POINTS, held.n, gl.UNSIGNED_INT, 0);
      if (!held.n_chosen) return;
      gl.disable(gl.DEPTH_TEST);
      gl.uniform1f(uniforms.u_opacity, 1);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers.chosen);
      gl.drawElements(gl.POINTS, held.n_chosen, gl.UNSIGNED_INT, 0);
    },
    /** Wait until all that was asked for is on the canvas. */
    finish() {
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    },
    destroy() {
      Object.values(buffers).forEach((buffer) => gl.deleteBuffer(buffer));
      gl.deleteProgram(program);
      gl.getExtension("WEBGL_lose_context")?.loseContext();
    },
  };
}

function link(gl) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return program;
}

/** A fixed shuffle: rows sorted by class would otherwise hide each other. */
function mixedOrder(n) {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  let seed = 2463534242;
  for (let i = n - 1; i > 0; i--) {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    const j = (seed >>> 0) % (i + 1);
    const kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}
