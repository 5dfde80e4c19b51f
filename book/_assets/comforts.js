// Keys that a reader of a book on the screen expects, and a page made ready for paper.
(() => {
  const KEYS = [
    ["←", "the page before"],
    ["→", "the next page"],
    ["/", "search; Ctrl K does the same"],
    ["?", "this list"],
    ["Esc", "close what is open"],
  ];
  const find = (what) => document.querySelector(what);

  // Who speaks to the computer sets off single keys by accident, so they can be switched off.
  const store = (...value) => {
    try {
      return value.length ? localStorage.setItem("keys", ...value) : localStorage.getItem("keys");
    } catch {
      return null; // storage is refused: then the choice lasts as long as the page
    }
  };
  let on = store() !== "off";

  function list() {
    const rows = KEYS.map(([key, does]) => `<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`).join("");
    const dialog = document.createElement("dialog");
    dialog.className = "keys";
    dialog.setAttribute("aria-label", "Keys");
    dialog.innerHTML = `<dl>${rows}</dl>
      <label><input type="checkbox"> use these keys</label>
      <form method="dialog"><button>Close</button></form>`;
    const box = dialog.querySelector("input");
    box.checked = on;
    box.onchange = () => store((on = box.checked) ? "on" : "off");
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
  }

  const turn = (way) => find(`link[rel=${way}]`) && location.assign(find(`link[rel=${way}]`).href);
  const does = {
    ArrowLeft: () => turn("prev"),
    ArrowRight: () => turn("next"),
    "/": () => find(".search-button__button")?.click(),
    "?": list,
  };
  addEventListener("keydown", (event) => {
    // Not where a key already means something: in a field, a figure, or what scrolls sideways.
    const free = event.target.matches("body, main, a, summary") && !event.target.closest("dialog");
    const other = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented;
    const wide = document.scrollingElement.scrollWidth > innerWidth && /Arrow/.test(event.key);
    if (!does[event.key] || !free || other || wide || !(on || event.key === "?")) return;
    event.preventDefault();
    does[event.key]();
  });

  // Paper is light, and nobody can unfold it. (Self-checks stay closed, because a question is to be
  // thought about first; code that only draws stays away.)
  let theme, opened;
  addEventListener("beforeprint", () => {
    const root = document.documentElement;
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    opened = [...document.querySelectorAll("details.folded:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    document.documentElement.dataset.theme = theme;
    for (const one of opened) one.open = false;
  });
})();
