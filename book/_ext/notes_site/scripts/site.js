// What every page runs besides the theme's own script, which switches between light and dark, opens
// the search and the drawer, and keeps the book's contents where they were scrolled to.
import "./arrival.js";
import "./contents.js";
import "./lines.js";
import "./live.js";
import "./menus.js";
import "./overflow.js";
import "./preview.js";
import "./print.js";
import "./search.js";
import "./told.js";
