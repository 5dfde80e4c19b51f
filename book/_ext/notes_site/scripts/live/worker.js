// Python in a thread of its own: the page sends cells, and is sent what they put out. To stop Python
// the page ends this thread; then a new one begins.
/** @typedef {{ base: string[], sizes: Record<string, number>, zipped: string[] }} Parts */

const home = new URL("./", self.location.href).href;
/** @type {any} */
let session;
/** @type {any} */
let python;

/** @param {object} message */
const tell = (message) => self.postMessage(message);

// What is loaded is counted on its way; and what a server might not compress was compressed before.
let loaded = 0;
const ask = self.fetch.bind(self);
/** @type {Parts} */
let parts;
let missing = "";
self.fetch = async (what, options) => {
  const name = String(what instanceof Request ? what.url : what).replace(home, "");
  const zipped = parts?.zipped.includes(name);
  const answer = await ask(zipped ? `${home}${name}.gz` : what, options).catch(() => Response.error());
  if (!answer.ok || !answer.body) {
    missing = name;
    throw new Error(name);
  }
  const count = new TransformStream({
    transform(piece, on) {
      loaded += piece.byteLength;
      tell({ loaded });
      on.enqueue(piece);
    },
  });
  const counted = answer.body.pipeThrough(count);
  const body = zipped ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
  const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(body, { headers: { "content-type": type } });
};

async function load() {
  parts = await (await self.fetch(`${home}parts.json`)).json();
  tell({ total: parts.base.reduce((sum, name) => sum + parts.sizes[name], 0), loaded });
  const { loadPyodide } = await import(`${home}pyodide.mjs`);
  const book = self.fetch(`${home}book.zip`).then((answer) => answer.arrayBuffer());
  book.catch(() => {}); // it is told below
  python = await loadPyodide({ indexURL: home, packages: ["numpy", "matplotlib", "ipython"], stdout() {}, stderr() {} });
  python.unpackArchive(await book, "zip", { extractDir: "/" });
  if (missing) throw new Error(missing);
  tell({ starting: true });
  const start = python.runPython("import sys, os; sys.path[:0] = ['/book', '/book/pure', '/book/live']; os.chdir('/book/book')\nfrom notes_live.session import start; start");
  session = start((/** @type {string} */ output) => tell({ output: JSON.parse(output) }), python.FS.readFile("/book/live/pictures.py", { encoding: "utf8" }));
}

/** @type {Promise<void> | undefined} */
let ready;

self.onmessage = async ({ data }) => {
  const started = performance.now();
  try {
    ready ??= load();
    await ready;
    const cells = python.toPy(data.cells);
    await python.loadPackage(session.packages(cells).toJs(), { messageCallback() {}, errorCallback() {} });
    if (missing) throw new Error(missing);
    tell({ above: session.plan(cells).length });
    const begun = performance.now();
    const done = session.run(cells);
    tell({ done, seconds: (performance.now() - begun) / 1000, all: (performance.now() - started) / 1000, memory: python._module.HEAPU8.length });
  } catch (error) {
    // Python itself has ended: too little memory, or a file that did not come.
    if (missing || /dynamically imported/.test(error?.message)) tell({ missing: missing || "pyodide.mjs" });
    else tell({ broken: String(error?.message ?? error).trim().split("\n").at(-1) });
  }
};
