// The static host: it runs the figures of one kind without Jupyter, from the state that stands in
// the page. The build calls it with the kind and with the widget's own script, a text; that becomes
// a module through a blob, which a browser also allows on a page that was opened from a folder.
((kind, script) => {
  /** As much of a Jupyter model as a figure uses. Nobody answers what it sends. */
  function createModel(state, more) {
    const heard = new Map();
    const on = (name, f) => heard.set(name, [...(heard.get(name) ?? []), f]);
    const off = (name, f) => heard.set(name, (heard.get(name) ?? []).filter((g) => g !== f));
    const hear = (name, what) => (heard.get(name) ?? []).forEach((f) => f(what));
    const set = (key, value) => {
      const changes = typeof key === "string" ? { [key]: value } : key;
      const news = Object.keys(changes).filter((name) => state[name] !== changes[name]);
      Object.assign(state, changes);
      for (const name of news) hear(`change:${name}`);
    };
    return { get: (name) => state[name], set, on, off, hear, save_changes() {}, send() {}, ...more };
  }

  /** The state of figure k in the address, so that it can be shared; the new address. */
  function share(k, state) {
    const text = btoa(JSON.stringify(state)).replaceAll("+", "-").replaceAll("/", "_");
    history.replaceState(null, "", `#${kind}-${k}=${text.replaceAll("=", "")}`);
    return location.href;
  }

  /** Take the state of figure k out of the address. */
  function forget(k) {
    if (told(k)) history.replaceState(null, "", location.pathname + location.search);
  }

  /** What the address tells about figure k: a state, or something that is none. */
  function told(k) {
    const [, which, number, text] = location.hash.match(/^#([a-z]+)-(\d+)=(.*)$/) ?? [];
    if (which !== kind || number !== String(k)) return null;
    try {
      return JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/"))) ?? {};
    } catch {
      return {};
    }
  }

  async function start() {
    const places = document.querySelectorAll(`.pn-figure[data-kind=${kind}]`);
    if (!places.length) return;
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const { default: widget } = await import(address);

    const stateOf = (place) => JSON.parse(place.querySelector("script").textContent);
    function bringToLife(place) {
      near.unobserve(place);
      if (place.dataset.state) return;
      const state = stateOf(place);
      if (!Object.keys(state.words).length) state.words = stateOf(places[0]).words; // of its kind
      const el = document.createElement("div");
      const [{ bottom }, before] = [place.getBoundingClientRect(), document.body.offsetHeight];
      place.append(el);
      const k = [...places].indexOf(place);
      const shared = told(k);
      const model = createModel(state, {
        share: (now) => share(k, now),
        forget: () => forget(k),
        shared,
      });
      // What a paragraph asks its figure to show.
      place.addEventListener("pn-at", ({ detail }) => model.hear("msg:custom", detail));
      widget.render({ model, el });
      place.dataset.state = "live";
      // Above what is read it may not move that: Safari does not see to it. (A figure beside a text
      // may change its height where the page does not.)
      const anchored = bottom > 0 || CSS.supports("overflow-anchor", "auto");
      if (!anchored) scrollBy({ top: document.body.offsetHeight - before, behavior: "instant" });
      place.dispatchEvent(new Event("pn-live", { bubbles: true }));
      if (shared) place.scrollIntoView();
      performance.mark("figures"); // for the benchmark
    }

    // A figure that is a screen away is begun: the first screen need not wait for those below.
    const near = new IntersectionObserver(
      (seen) => seen.forEach((one) => one.isIntersecting && bringToLife(one.target)),
      { rootMargin: "100%" },
    );
    places.forEach((place, k) => (told(k) ? bringToLife(place) : near.observe(place)));
    const paper = document.documentElement.classList; // stage.css: figures are drawn smaller for it
    addEventListener("beforeprint", () => (paper.add("pn-paper"), places.forEach(bringToLife)));
    addEventListener("afterprint", () => paper.remove("pn-paper"));
    // An address typed over this one, or a step back to it, does not load the page.
    addEventListener("hashchange", () => [...places].some((_, k) => told(k)) && location.reload());
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})
