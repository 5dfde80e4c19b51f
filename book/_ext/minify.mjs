// Terser behind a pipe: in, {sources, module}; out, the same scripts, shorter. It shortens names and
// drops what is not code, but leaves expressions alone: a figure computes exactly as Python does.
import { readFileSync } from "node:fs";

const { minify } = await import(process.argv[2]);
const { sources, module } = JSON.parse(readFileSync(0, "utf-8"));

const answers = sources.map((text) => minify(text, { compress: false, mangle: true, module }));
process.stdout.write(JSON.stringify((await Promise.all(answers)).map(({ code }) => code)));
