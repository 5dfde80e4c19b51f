// What the site takes from npm, behind a pipe: a line of JSON in, {tool, …}; a line out, {answer} or
// {error}. A tool is loaded when it is first asked for.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(process.argv[2]);

// What a theme's colours hang on is set by a script; without scripts it stays "auto", and then the
// machine's own setting decides.
function followMachine(css) {
  const postcss = require("postcss");
  const root = postcss.parse(css);
  root.walkRules(/\[data-theme=/, (rule) => {
    for (const theme of ["dark", "light"]) {
      const themed = rule.selectors.filter((one) => one.includes(`[data-theme=${theme}]`));
      if (!themed.length) continue;
      const selectors = themed.map((one) => one.replace(`[data-theme=${theme}]`, "[data-theme=auto]"));
      const query = postcss.atRule({ name: "media", params: `(prefers-color-scheme:${theme})` });
      rule.after(query.append(rule.clone({ selectors })));
    }
  });
  return root.toString();
}

// Leaves out the selectors that none of the elements can meet. A kind of element is its tag and
// classes, and those of all around it, wherever it stands. Classes in `made` a script may give to
// any element, or to one that it makes. What is neither a tag nor a class is taken to be met.
function withoutStrays(css, kinds, made) {
  const parser = require("postcss-selector-parser");
  const met = (own, around) => kinds.some(([these, those]) =>
    own.every((name) => these.includes(name)) && around.every((name) => those.includes(name)));
  const possible = (selector) => {
    const { nodes } = parser().astSync(selector).first;
    const free = nodes.some(({ type, value }) => type === "class" && made.has(value));
    const parts = [[]];
    for (const { type, value } of nodes) {
      if (type === "combinator") parts.push([]);
      if (type === "tag" && !free) parts.at(-1).push(value.toLowerCase());
      if (type === "class" && !made.has(value)) parts.at(-1).push(`.${value}`);
    }
    const beside = nodes.some(({ type, value }) => type === "combinator" && /[+~]/.test(value));
    return met(parts.pop(), beside ? [] : parts.flat());
  };
  const root = require("postcss").parse(css);
  root.walkRules((rule) => {
    if (rule.parent.name?.endsWith("keyframes")) return;
    const kept = rule.selectors.filter(possible);
    if (kept.length) rule.selectors = kept;
    else rule.remove();
  });
  return root.toString();
}

const tools = {
  // `strict` makes an error of what KaTeX would set but MathJax, in JupyterLab, would set differently.
  katex({ tex, display, output }) {
    const html = require("katex").renderToString(tex, { displayMode: display, output, strict: "error" });
    // The path of a tall floor bracket begins a part with "MM", and browsers stop drawing there.
    return html
      .replace(/z\s*MM/g, "zM")
      // A page needs no TeX beside a formula.
      .replace(/<annotation.*?<\/annotation>|<\/?semantics>/gs, "");
  },

  // A figure of matplotlib's, which is one part of a page among others: hence the prefix of its ids.
  svgo({ svg, prefix }) {
    const overrides = {
      cleanupNumericValues: { floatPrecision: 1 }, // of a point: an eighth of a pixel
      convertPathData: { floatPrecision: 1 },
      convertTransform: { transformPrecision: 7 }, // a scale multiplies whole letters
    };
    const plugins = [
      "removeStyleElement", // its one rule is in notes.css
      { name: "preset-default", params: { overrides } },
      "removeDimensions",
      "removeXMLNS",
      "removeXlink",
      { name: "prefixIds", params: { prefix, delim: "-" } },
    ];
    return require("svgo").optimize(svg, { plugins }).data;
  },

  // Scripts in one, as a page loads it. The classic ones share the page's names; ours are modules.
  async join({ scripts, modules, folder }) {
    const esbuild = require("esbuild");
    const imports = modules.map((file) => `import ${JSON.stringify(file)};`).join("\n");
    const bundle = await esbuild.build({
      stdin: { contents: imports, resolveDir: folder },
      nodePaths: [join(dirname(process.argv[2]), "node_modules")],
      bundle: true,
      minify: true,
      format: "iife",
      write: false,
    });
    const classic = await esbuild.transform(scripts.join("\n;\n"), { minify: true });
    return classic.code + bundle.outputFiles[0].text;
  },

  // Shorter names and no spaces.
  async minify({ script }) {
    return (await require("esbuild").transform(script, { minify: true })).code;
  },

  // A figure's script with what it imports. Its expressions stay, so that it computes exactly as
  // Python does.
  async bundle({ script }) {
    const short = { minifyWhitespace: true, minifyIdentifiers: true };
    const options = { entryPoints: [script], bundle: true, format: "esm", write: false, ...short };
    return (await require("esbuild").build(options)).outputFiles[0].text;
  },

  // Stylesheets in one, without the rules that can apply nowhere among these words and elements.
  async style({ sheets, folder, words, kinds, made }) {
    const contents = sheets.map((file) => `@import ${JSON.stringify(`./${file}`)};`).join("\n");
    const joined = await require("esbuild").build({
      stdin: { contents, loader: "css", resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      // Pictures and fonts stay where they are.
      loader: { ".woff2": "file", ".ttf": "file", ".png": "file", ".svg": "file" },
      outdir: folder,
      outbase: folder,
      assetNames: "[dir]/[name]",
    });
    const { PurgeCSS } = require("purgecss");
    const [kept] = await new PurgeCSS().purge({
      css: [{ raw: withoutStrays(joined.outputFiles.at(-1).text, kinds, new Set(made)) }],
      content: [{ raw: words.join(" "), extension: "html" }],
      defaultExtractor: (text) => text.split(" "),
      keyframes: true,
      variables: true,
      // It knows the variables that rules use, but not those of `style` attributes.
      safelist: { variables: words.filter((word) => word.startsWith("--")) },
    });
    return followMachine(kept.css);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { tool, ...request } = JSON.parse(line);
  let answer;
  try {
    answer = { answer: await tools[tool](request) };
  } catch (error) {
    answer = { error: error.rawMessage ?? error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
