// Paper is light. (What is folded is unfolded by print.css.)
const { dataset } = document.documentElement;
let theme = dataset.theme;

addEventListener("beforeprint", () => {
  theme = dataset.theme;
  dataset.theme = "light";
});
addEventListener("afterprint", () => (dataset.theme = theme));
