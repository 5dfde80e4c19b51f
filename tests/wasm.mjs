// Runs a Python script of this repository in WebAssembly, for machines.py:
//     node wasm.mjs PYODIDE ROOT numpy,matplotlib /book/SCRIPT ARGUMENT …
// The repository stands in /book, and what Pyodide itself does not bring in /pure.
import { pathToFileURL } from "node:url";

const [pyodide, root, packages, ...argv] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${pyodide}/` });
await python.loadPackage(packages.split(","), { messageCallback() {} });
for (const [name, folder] of [["/book", root], ["/pure", `${pyodide}/pure`]]) {
  python.FS.mkdirTree(name);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, name);
}
python.globals.set("argv", python.toPy(argv));
try {
  python.runPython(`
import runpy, sys
sys.path[:0] = ["/book", "/book/classroom", "/pure"]
sys.argv, sys.dont_write_bytecode = list(argv), True
runpy.run_path(argv[0], run_name="__main__")
`);
} catch (error) {
  console.error(error.message); // without it, node prints a page of Pyodide's code
  process.exit(1);
}
