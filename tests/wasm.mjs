// Runs a Python script of this repository in WebAssembly, for machines.py:
//     node wasm.mjs FOLDER ROOT numpy,matplotlib /book/SCRIPT ARGUMENT …
// Pyodide is FOLDER's package. The repository stands in /book, and what Pyodide does not bring, which is
// FOLDER's pure, in /pure.
import { pathToFileURL } from "node:url";

const [folder, root, packages, ...argv] = process.argv.slice(2);
const pyodide = `${folder}/package`;
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${pyodide}/` });
await python.loadPackage(packages.split(","), { messageCallback() {} });
for (const [name, place] of [["/book", root], ["/pure", `${folder}/pure`]]) {
  python.FS.mkdirTree(name);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: place }, name);
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
