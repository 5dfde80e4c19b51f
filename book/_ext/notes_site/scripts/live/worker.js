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

const PATIENCE = 20; // s
/** What is on its way, and for how many seconds none of it has moved, while this thread was free.
 *  @type {Set<{ name: string }>} */
const coming = new Set();
let quiet = 0;
let missing = "";
setInterval(() => {
  if (coming.size && ++quiet > PATIENCE) lose([...coming][0].name); // not every connection that breaks ends
}, 1000);

/** Tell that a file does not come. Who waits for it might wait for ever: Pyodide does.
 *  @param {string} name */
function lose(name) {
  missing ||= name;
  tell({ missing });
}

/** Watch what is to come of a file.
 *  @template Kind
 *  @param {string} name
 *  @param {Promise<Kind>} whole
 *  @returns {Promise<Kind>} */
function watched(name, whole) {
  const one = { name };
  coming.add(one);
  whole.catch(() => lose(name)).finally(() => {
    coming.delete(one);
    if (!coming.size) tell({ starting: true });
  });
  return whole;
}

/** Tell why Python does not go on, unless it is for a file, which may be known a little later.
 *  @param {"refused" | "broken"} what
 *  @param {Error} error */
function fail(what, error) {
  const reason = String(error?.message ?? error).trim().split("\n").at(-1).replace(/\.$/, "");
  setTimeout(() => missing || tell({ [what]: reason }), 100);
}

// Nor does Pyodide hear that the browser refuses: too little memory, or no WebAssembly on such pages.
const { instantiateStreaming } = WebAssembly;
WebAssembly.instantiateStreaming = (...what) => {
  const made = instantiateStreaming(...what);
  made.catch((error) => fail("refused", error));
  return made;
};

// What is loaded is counted on its way; and what a server might not compress was compressed before,
// under a name by which no server takes it for a file to be unpacked on its way.
let loaded = 0;
const ask = self.fetch.bind(self);
/** @type {Parts} */
let parts;
self.fetch = async (what, options) => {
  const name = String(what instanceof Request ? what.url : what).replace(home, "");
  const zipped = parts?.zipped.includes(name);
  const answer = await watched(name, ask(zipped ? `${home}${name}.packed` : what, options));
  if (!answer.ok || !answer.body) {
    lose(name);
    throw new Error(name);
  }
  let left = answer.headers.has("content-encoding") ? 0 : Number(answer.headers.get("content-length"));
  const count = new TransformStream({
    transform(piece, on) {
      quiet = 0;
      left -= piece.byteLength;
      loaded += piece.byteLength;
      tell({ loaded });
      on.enqueue(piece);
    },
    flush() {
      if (left > 0) throw new Error(name); // Safari takes a file that was cut for a whole one
    },
  });
  watched(name, answer.body.pipeTo(count.writable));
  const body = zipped ? count.readable.pipeThrough(new DecompressionStream("gzip")) : count.readable;
  const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(body, { headers: { "content-type": type } });
};

async function load() {
  const [pyodide] = ["pyodide.mjs", "pyodide.asm.js"].map((name) => watched(name, import(`${home}${name}`)));
  parts = await (await self.fetch(`${home}parts.json`)).json();
  tell({ total: parts.base.reduce((sum, name) => sum + parts.sizes[name], 0), loaded });
  const { loadPyodide } = await pyodide;
  const book = self.fetch(`${home}book.zip`).then((answer) => answer.arrayBuffer());
  python = await loadPyodide({ indexURL: home, packages: ["numpy", "matplotlib", "ipython"], stdout() {}, stderr() {} });
  python.unpackArchive(await book, "zip", { extractDir: "/" });
  const start = python.runPython("import sys, os; sys.path[:0] = ['/book', '/book/pure', '/book/live']; os.makedirs('/book/book', exist_ok=True); os.chdir('/book/book')\nfrom notes_live.session import start; start");
  session = start((/** @type {string} */ output) => tell({ output: JSON.parse(output) }), python.FS.readFile("/book/live/pictures.py", { encoding: "utf8" }));
}

/** @type {Promise<void> | undefined} */
let ready;

self.onmessage = async ({ data }) => {
  const started = performance.now();
  tell({}); // this thread lives
  try {
    ready ??= load();
    await ready;
    const cells = python.toPy(data.cells);
    await python.loadPackage(session.packages(cells).toJs(), { messageCallback() {}, errorCallback() {} });
    tell({ above: session.plan(cells).length });
    const begun = performance.now();
    const done = session.run(cells);
    tell({ done, seconds: (performance.now() - begun) / 1000, all: (performance.now() - started) / 1000, memory: python._module.HEAPU8.length });
  } catch (error) {
    fail("broken", error); // Python itself has ended: too little memory
  }
};
