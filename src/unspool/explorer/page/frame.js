// Binary frames: a small JSON header, then typed arrays that are used where they lie.

const MAGIC = 0x31534e55; // "UNS1", little endian
const TYPES = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  uint16: Uint16Array,
  uint8: Uint8Array,
};

/** Read a frame: its header, with the arrays by name under `arrays`. */
export function decodeFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) {
    throw new Error("the answer is not a frame");
  }
  const start = 8 + view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, start - 8)));
  const arrays = {};
  for (const { name, dtype, shape, offset } of header.arrays) {
    const length = shape.reduce((product, size) => product * size, 1);
    arrays[name] = new TYPES[dtype](buffer, start + offset, length);
    arrays[name].shape = shape;
  }
  return { ...header, arrays };
}

/** Write a frame from a header and arrays by name. */
export function encodeFrame(header, arrays) {
  const listed = [];
  let size = 0;
  for (const [name, values] of Object.entries(arrays)) {
    const dtype = Object.keys(TYPES).find((type) => values instanceof TYPES[type]);
    listed.push({ name, dtype, shape: [values.length], offset: size });
    size += padded(values.byteLength);
  }
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: listed }));
  const start = padded(8 + text.length);
  const buffer = new ArrayBuffer(start + size);
  const bytes = new Uint8Array(buffer).fill(0x20, 8, start);
  bytes.set(text, 8);
  new DataView(buffer).setUint32(0, MAGIC, true);
  new DataView(buffer).setUint32(4, start - 8, true);
  Object.values(arrays).forEach((values, k) => {
    bytes.set(
      new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
      start + listed[k].offset,
    );
  });
  return buffer;
}

function padded(size) {
  return Math.ceil(size / 8) * 8;
}
