// What the site takes from npm, behind a pipe: a line of JSON in, {tool, …}; a line out, {answer} or
// {error}. A tool is loaded when it is first asked for.
import { readFileSync } from "node:fs";
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

// Leaves out the rules for classes that no page names.
function withoutUnnamed(css, names) {
  const root = require("postcss").parse(css);
  root.walkRules((rule) => {
    const kept = rule.selectors.filter((one) =>
      [...one.replace(/\(.*\)/g, "").matchAll(/\.([a-z][\w-]*)/gi)].every(([, name]) => names.has(name)));
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

  // Scripts in one, as a page loads it: classic ones, which share the page's names, and a module of ours.
  async join({ scripts, module }) {
    const classic = await require("esbuild").transform(scripts.join("\n;\n"), { minify: true });
    return classic.code + await tools.bundle({ script: module, format: "iife" });
  },

  // A module with what it imports, and with some names `defined`.
  async bundle({ script, define = {}, format = "esm" }) {
    const nodePaths = [join(dirname(process.argv[2]), "node_modules")];
    const options = { entryPoints: [script], bundle: true, minify: true, format, write: false, nodePaths, define };
    return (await require("esbuild").build(options)).outputFiles[0].text;
  },

  // A figure's script, whose expressions stay, so that it computes exactly as Python does.
  async shorten({ script }) {
    const options = { format: "esm", minifyWhitespace: true, minifyIdentifiers: true };
    return (await require("esbuild").transform(script, options)).code;
  },

  // Stylesheets in one; but for those that stay `whole`, without the rules for other classes than `names`.
  async style({ sheets, folder, whole, names }) {
    const contents = sheets.map((file) => `@import ${JSON.stringify(`./${file}`)};`).join("\n");
    const known = new Set(names);
    const joined = await require("esbuild").build({
      stdin: { contents, loader: "css", resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      // Pictures and fonts stay where they are.
      loader: { ".woff2": "file", ".woff": "file", ".ttf": "file", ".png": "file", ".svg": "file" },
      outdir: folder,
      outbase: folder,
      assetNames: "[dir]/[name]",
      plugins: [{
        name: "cut",
        setup: ({ onLoad }) => onLoad({ filter: /\.css$/ }, ({ path }) => {
          if (new RegExp(whole).test(path)) return;
          return { contents: withoutUnnamed(readFileSync(path, "utf8"), known), loader: "css" };
        }),
      }],
    });
    return followMachine(joined.outputFiles.at(-1).text);
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
