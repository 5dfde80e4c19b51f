// KaTeX behind a pipe: one line of JSON in, {tex, display, output}; one line out, {html} or {error}.
// `strict` makes an error of what KaTeX would set but MathJax, in JupyterLab, would set differently.
import { createInterface } from "node:readline";

const { default: katex } = await import(process.argv[2]);

for await (const line of createInterface({ input: process.stdin })) {
  const { tex, display, output } = JSON.parse(line);
  let answer;
  try {
    const html = katex.renderToString(tex, { displayMode: display, output, strict: "error" });
    // The path of a tall floor bracket begins a part with "MM", and browsers stop drawing there.
    answer = { html: html.replace(/z\s*MM/g, "zM") };
  } catch (error) {
    answer = { error: error.rawMessage ?? error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
