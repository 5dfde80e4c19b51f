// Terser and Acorn behind a pipe: in, {sources, module}; out, the same scripts, shorter, and all
// their strings. Terser shortens names and drops what is not code, but leaves expressions alone:
// a figure computes exactly as Python does.
import { readFileSync } from "node:fs";

const { minify } = await import(`${process.argv[2]}/terser/main.js`);
const { tokenizer } = await import(`${process.argv[2]}/acorn/dist/acorn.mjs`);
const { sources, module } = JSON.parse(readFileSync(0, "utf-8"));

const codes = [];
const strings = [];
for (const text of sources) {
  const { code } = await minify(text, { compress: false, mangle: true, module });
  codes.push(code);
  for (const { type, value } of tokenizer(code, { ecmaVersion: "latest", sourceType: "module" }))
    if (type.label === "string" || type.label === "template") strings.push(value);
}
process.stdout.write(JSON.stringify({ codes, strings }));
