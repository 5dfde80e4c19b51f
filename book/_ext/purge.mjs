// PurgeCSS behind a pipe: in, {css, words}; out, the rules that can apply where only these occur.
import { readFileSync } from "node:fs";

const { PurgeCSS } = await import(`${process.argv[2]}/purgecss/lib/purgecss.esm.js`);
const { css, words } = JSON.parse(readFileSync(0, "utf-8"));

const [kept] = await new PurgeCSS().purge({
  css: [{ raw: css }],
  content: [{ raw: words.join(" "), extension: "html" }],
  defaultExtractor: (text) => text.split(" "),
  keyframes: true,
  variables: true,
  // It knows the variables that rules use, but not those of `style` attributes.
  safelist: { variables: words.filter((word) => word.startsWith("--")) },
});
process.stdout.write(JSON.stringify(kept.css));
