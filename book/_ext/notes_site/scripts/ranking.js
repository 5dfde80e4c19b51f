// How the search answers, in all languages: sections, best first, and what has to be said of them.
// The whole of what was typed comes first, or this book's word for it; else what it asks about,
// without the asking; else its pieces, of which the rarest must be there; else nothing.

/** @typedef {{ address: string, page: string, title: string, text: string, part: number, order: number,
 *   head: string, body: string, less: number }} Section */
/** A word of this book, and how somebody typed it: as it is here, as others have it, or nearly.
 * @typedef {{ ours: string, kind: "ours" | "same" | "near" | "quiet", home: string }} Word */
/** @typedef {{ terms: [string, string[], string[], string[], string][], asking: string[], small?: string[], signs?: string[] }} Table */
/** What is said, with what stands in its places. @typedef {[string, Record<string, string>]} Told */
/** @typedef {{ told: Told[], hits: Section[], marked: string[] }} Answer */

const HAN = /^\p{Script=Han}$/u;
const LATIN = "\\p{Script=Latin}";
/** Places that use a word rather than say what it is. */
const LESS = /#(exercises|check-yourself|sources|what-you-will|summary|laboratory|solution)|assignments|museum|bibliography|errata|accessibility|teaching|\/sources|\/api|\/index/;

/** @param {string} text */
export function fold(text) {
  return text.normalize("NFKC").toLowerCase().replace(/’/g, "'").replace(/(?<=\p{L})[-‐‑–](?=\p{L})/gu, " ")
    .replace(/(?<=\p{L}{2})iz(?=[ei]|ation)/gu, "is").replace(/\s+/g, " ").replace(/(?<=\p{Script=Han}) | (?=\p{Script=Han})/gu, "").trim();
}
/** A text whose last word has lost its ending: a plural finds the singular, "separating" "separation".
 * @param {string} text */
export function stem(text) {
  const one = text.replace(/(?<=[a-z]{3}[^s\W])s$/, "");
  return one.replace(/(?<=[a-z]{5})(?:ing|ed|e)$/, "");
}
/** @param {string} text */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** How many letters must change, be there or be gone, or change places with the next.
 * @param {string} a
 * @param {string} b */
export function typos(a, b) {
  let before = [];
  let row = [...b, ""].map((_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length];
}

/** A function that answers.
 * @param {[string, string, string, string, number, string[]][]} texts
 * @param {Table} table
 * @returns {(query: string) => Answer} */
export function searcher(texts, { terms, asking, small = [], signs = [] }) {
  const simple = new Map(signs.map(([before, ours]) => [before, ours]));
  /** The glossary's page holds each entry a second time. @type {Section[]} */
  const sections = texts.filter(([address]) => !address.endsWith("/glossary.html")).map(([address, page, title, text, part], order) => ({
    ...{ address, page, title, text, part, order, body: fold(text) },
    head: fold(title).replace(/(?<=\p{Script=Han})[(（].*/u, "").replace(/^the |^[\d.]+ /, ""),
    less: LESS.test(address) ? 0.4 : 1,
  }));
  /** What is typed → our word. @type {Map<string, Word>} */
  const known = new Map();
  const entries = sections.filter(({ address }) => address.includes("#term-"));
  for (const { head } of entries) known.set(stem(head), { ours: head, kind: "ours", home: "" });
  for (const kind of /** @type {const} */ (["near", "quiet", "same", "ours"]))
    for (const [ours, same, near, quiet, home] of terms)
      for (const one of { near, quiet, same, ours: [ours] }[kind]) known.set(stem(fold(one)), { ours: fold(ours), kind, home });
  const name = new Map(terms.map(([ours]) => [fold(ours), ours]));
  /** @param {string} text */
  const our = (text) => known.get(stem(text));
  /** The first place with a word in bold introduces it; of the chapters, if there is one.
   * @type {Map<string, string>} */
  const homes = new Map();
  const bold = texts.flatMap(([address, , , , part, words]) => (LESS.test(address) ? [] : words.map((word) => ({ address, part, word }))));
  for (const { address, word } of bold.sort((a, b) => Number(a.part !== 1) - Number(b.part !== 1)))
    if (!homes.has(stem(fold(word)))) homes.set(stem(fold(word)), address);

  /** Finds a text where a word begins; one that is short must be the whole word.
   * @param {string} text */
  function finder(text) {
    const last = /[a-z']+$/.exec(text)?.[0].length ?? 9;
    const whole = last < 3 || (last < 6 && known.has(text));
    const end = whole ? `(?:${last < 3 ? "" : "s|es|d|ed|ing"})(?!${LATIN})` : "";
    return new RegExp((/^[a-z]/.test(text) ? `(?<!${LATIN})` : "") + escaped(text) + end.replace("ing)", "ing)?"), "gu");
  }
  /** @type {Map<string, Map<Section, number>>} */
  const kept = new Map();
  /** The sections that have a text, with points.
   * @param {string} typed
   * @returns {Map<Section, number>} */
  function whole(typed) {
    const text = stem(typed);
    if (kept.has(text)) return kept.get(text);
    const there = finder(text);
    const start = new RegExp(`^${there.source}(?:s|es|e)?(?=$|[:：])`, "u");
    const word = known.get(text);
    const first = (word && stem(word.ours) === text && word.home) || homes.get(text);
    const found = new Map();
    for (const one of sections) {
      const many = one.body.match(there)?.length ?? 0;
      const titled = one.head.search(there);
      if (!many && titled < 0 && first !== one.address) continue;
      const page = !one.address.includes("#");
      const name = stem(one.head) === text ? (page ? 150 : one.address.includes("#term-") ? 70 : one.less < 1 ? 50 : 90)
        : page && start.test(one.head) ? 150 : one.less * (titled === 0 ? 30 : titled > 0 ? 24 : 0);
      const introduced = first !== one.address ? 0 : one.text ? 80 : 30;
      found.set(one, name + introduced + one.less * (4 * Math.min(many, 5) + (300 * many) / (one.body.length + 400)));
    }
    kept.set(text, found);
    return found;
  }
  /** @param {Map<Section, number>} found */
  const ranked = (found) => [...found].sort(([a, m], [b, n]) => n - m || a.part - b.part || a.order - b.order).map(([one]) => one);

  const asks = [...asking].sort((a, b) => b.length - a.length).map((one) => escaped(fold(one)) + (/[a-z]$/.test(one) ? `(?!${LATIN}|')` : ""));
  const [begin, end] = [new RegExp(`^(?:${asks.join("|")}|[ ?？!！。.])`, "u"), new RegExp(`(?:${asks.map((one) => (/^[a-z]/.test(one) ? `(?<!${LATIN}|')` : "") + one).join("|")}|[ ?？!！。.])$`, "u")];
  /** A text without the asking at its two ends.
   * @param {string} text */
  function core(text) {
    while (begin.test(text) || end.test(text)) text = text.replace(begin, "").replace(end, "");
    return text;
  }
  const segmenter = new Intl.Segmenter("zh", { granularity: "word" });
  /** The pieces of a text: words of the table, the longest first; then words at all.
   * @param {string} text */
  function pieces(text) {
    /** @type {string[]} */
    const found = [];
    let loose = ""; // signs that stand alone are joined, 收|敛, or left out
    for (let rest = `${text} `, n; rest; rest = rest.slice(n)) {
      for (n = Math.min(rest.length, 40); n > 1; n--)
        if (known.has(stem(rest.slice(0, n))) && !/^[a-z]{2}/.test(rest.slice(n - 1))) break;
      const { segment, isWordLike } = segmenter.segment(rest)[Symbol.iterator]().next().value;
      const asked = n > 1 ? "" : begin.exec(rest)?.[0];
      const piece = n > 1 ? rest.slice(0, n) : asked || !isWordLike || small.includes(segment) ? "" : segment;
      n = n > 1 ? n : (asked || segment).length;
      if (HAN.test(piece)) {
        loose += piece;
        continue;
      }
      found.push(...(loose.length > 1 ? [loose] : []), ...(piece ? [piece] : []));
      loose = "";
    }
    return [...new Set(found)];
  }

  /** The words of titles and texts, with how often they occur. @type {Map<string, number>} */
  let words;
  /** @type {Set<string>} */
  let heads;
  /** The word that somebody meant who has mistyped it.
   * @param {string} word */
  function meant(word) {
    const split = (/** @type {string} */ text) => text.match(/[a-z]{4,}/g) ?? [];
    if (!words) {
      words = new Map();
      heads = new Set([...name.keys(), ...known.keys(), ...sections.map((one) => one.head)].flatMap(split));
      for (const one of [...heads, ...sections.flatMap(({ body }) => split(body))]) words.set(one, (words.get(one) ?? 0) + 1);
    }
    if (word.length < 4 || [...words.keys()].some((one) => one.startsWith(stem(word)))) return word;
    const far = (/** @type {string} */ one) => {
      if (one[0] !== word[0] || Math.abs(one.length - word.length) > 2) return 9;
      const n = typos(word, one);
      return n > (heads.has(one) && word.length > 6 ? 2 : 1) || (!heads.has(one) && one.slice(-2) !== word.slice(-2)) ? 9 : n;
    };
    const [best] = [...words].map(([one, many]) => ({ one, many, n: far(one) })).filter(({ n }) => n < 9)
      .sort((a, b) => a.n - b.n || b.many - a.many);
    return best?.one ?? word;
  }

  /** What answers a text as it stands, or this book's word for it.
   * @param {string} text
   * @returns {Answer | undefined} */
  function direct(text) {
    const [typed, word] = our(text) ? [text, our(text)] : begun(text);
    const lone = HAN.test(text);
    const here = new Map([...whole(text)].filter(([one]) => !lone || (!word && one.head.includes(text))));
    if (!word || stem(word.ours) === stem(text)) return here.size ? { told: [], hits: ranked(here), marked: [stem(text)] } : undefined;
    const ours = ranked(whole(word.ours));
    const titled = new Map([...here].filter(([one]) => one.less === 1 && one.head.includes(text)));
    const hits = [...new Set([...ranked(titled), ...ours.slice(0, 3), ...ranked(here), ...ours])];
    return hits.length ? { told: tell(typed, word, here.size > 0), hits, marked: [text, word.ours].map(stem) } : undefined;
  }
  /** Another book's word that begins so, if nothing here does.
   * @param {string} text
   * @returns {[string, Word | undefined]} */
  function begun(text) {
    const long = text.length >= (/[a-z]/.test(text) ? 4 : 2) && !whole(text).size;
    return (long && [...known].find(([one]) => one.startsWith(text))) || [text, undefined];
  }
  /** @param {string} typed
   * @param {Word} word
   * @param {boolean} here
   * @returns {Told[]} */
  function tell(typed, { ours, kind }, here) {
    if (kind === "quiet" || kind === "ours") return [];
    const said = { typed, ours: name.get(ours) };
    if (kind === "near") return [["Near “{typed}”, this book has “{ours}”.", said]];
    const within = here && (ours.includes(stem(typed)) || typed.includes(ours));
    return [[within ? "“{ours}” was looked for, too." : "“{typed}” is called “{ours}” here.", said]];
  }

  /** The sections with the rarest piece; the others add to it.
   * @param {string[]} parts
   * @returns {Section[]} */
  function apart(parts) {
    const has = parts.map((one) => [one, our(one)?.ours ?? one].slice(our(one)?.kind === "near" ? 1 : 0).map(whole));
    const points = (/** @type {number} */ j, /** @type {Section} */ one) => Math.max(...has[j].map((found) => found.get(one) ?? 0));
    const rare = has.map((list) => Math.log(1 + sections.length / Math.max(...list.map(({ size }) => size))));
    const sure = rare.map((n, j) => n + (our(parts[j]) ? 9 : 0)); // a word of the table means something
    const first = sure.indexOf(Math.max(...sure));
    const found = new Map();
    for (const one of sections) {
      if (!points(first, one)) continue;
      const there = rare.filter((_, j) => points(j, one)).reduce((sum, n) => sum + n);
      found.set(one, there * rare.reduce((sum, n, j) => sum + n * n * Math.min(points(j, one), 100), 0));
    }
    return ranked(found);
  }
  /** @param {string} text */
  const there = (text) => whole(text).size || (our(text) && whole(our(text).ours).size);

  return (query) => {
    const typed = fold(query).replace(/./gu, (sign) => simple.get(sign) ?? sign);
    const asked = core(typed);
    /** @type {Answer} */
    let answer = { told: [], hits: [], marked: [] };
    const sole = our(asked) || pieces(typed).length < 2 || !pieces(asked).some(our);
    const found = direct(typed) ?? (sole ? direct(asked) : undefined);
    const mended = found ? typed : typed.replace(/[a-z]{4,}/g, meant);
    const all = pieces(mended);
    const has = all.filter(there);
    const parts = has.length < all.length ? has.filter(our) : has; // of what is not all there, the words of the table
    if (found) {
      const more = parts.length > 1 && !our(typed) ? apart(parts).filter((one) => parts.every((part) => whole(part).has(one))) : [];
      answer = { ...found, hits: [...new Set([...found.hits, ...more])] };
    } else if (parts.length) {
      const one = parts.length === 1 ? direct(parts[0]) : undefined;
      const ours = parts.map((part) => `“${name.get(our(part)?.ours) ?? part}”`).join("");
      // Words that all are there, with blanks between them, are no more than what was asked for.
      const same = mended === typed && all.length === parts.length && query.trim().includes(" ");
      const told = parts.flatMap((part) => (our(part) ? tell(part, our(part), true) : [])).filter(([text]) => !text.endsWith("too."));
      answer = {
        told: same ? told : [["Nothing has “{typed}” as it stands; these have {ours}.", { typed, ours }], ...told],
        hits: one?.hits ?? apart(whole(asked).size ? [...parts, asked] : parts),
        marked: one?.marked ?? parts.flatMap((part) => [part, our(part)?.ours ?? part].map(stem)),
      };
    }
    const begin = fold(query).length === query.length ? query : typed;
    for (const [, said] of answer.told) {
      const at = typed.indexOf(said.typed);
      if (at >= 0) said.typed = begin.slice(at, at + said.typed.length);
    }
    return answer;
  };
}
