// Modules that were packed into one text, where they have no addresses of their own: in a file and
// in a notebook. Each gets one in turn, those that it imports before it.

/** Return the last of the packed modules: base64 of gzip of [{path, parts}], in order of imports. */
async function load(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const modules = JSON.parse(await new Response(plain).text());
  const addresses = new Map();
  for (const { path, parts } of modules) {
    // every second part is the path of a module that is imported there
    const source = parts.map((part, place) => (place % 2 ? addresses.get(part) : part)).join("");
    addresses.set(path, URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  }
  try {
    return await import(addresses.get(modules.at(-1).path));
  } finally {
    addresses.forEach((address) => URL.revokeObjectURL(address));
  }
}
