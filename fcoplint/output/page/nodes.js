/* Making nodes. Text becomes text nodes, never markup; no attribute that could run or fetch anything is ever set. */

const SVG = "http://www.w3.org/2000/svg";
const HARMLESS = /^(class|id|role|tabindex|lang|dir|type|scope|hidden|open|for|aria-[a-z]+|data-[a-z-]+)$/;
const DRAWN = /^(class|role|aria-[a-z]+|viewBox|width|height|x|y|x1|y1|x2|y2|cx|cy|r|d|points|transform|text-anchor|preserveAspectRatio)$/;

/** An element with attributes and children (nodes, or texts; null and false are left out). */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), HARMLESS, attributes, children);
}

/** The same for a drawing. */
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), DRAWN, attributes, children);
}

/** A text from the repository, whose direction is its own. */
function bare(text, className = "") {
  return make("bdi", className ? { class: className } : {}, text);
}

/** A button that does something. */
function button(label, act, className = "") {
  const made = make("button", { type: "button", class: className }, label);
  made.addEventListener("click", act);
  return made;
}

/** A label of a finding's severity. */
function badge(severity, text = words.call("severity", severity)) {
  return make("span", { class: `badge ${severity}` }, text);
}

/** A text of less weight. */
function aside(...children) {
  return make("span", { class: "meta" }, ...children);
}

/** A heading with how many there are of what follows it. */
function counted(level, key, count) {
  return make(`h${level}`, {}, words.say(key), " ", make("span", { class: "count" }, String(count)));
}

/** A line in place of what is not there. */
function nothing(key) {
  return make("p", { class: "nothing" }, words.say(key));
}

/** A list of so many items at most; what is left is counted. `kind` is its class. */
function listed(items, most, render, kind = "") {
  const left = items.length - most;
  return make("ul", { class: kind }, ...items.slice(0, most).map(render), left > 0 && make("li", {}, words.say("more", { n: left })));
}

/** A table of texts; `head` are its columns, each row begins with its own head where `named` says so. */
function tableOf(head, rows, named = false) {
  const cell = (content, number) => (named && number === 0 ? make("th", { scope: "row" }, content) : make("td", {}, content));
  return make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))));
}

/** A text of our own rules, in which what stands between backticks is code. They are written in English. */
function prose(text) {
  const parts = text.split("`");
  const pieces = parts.length % 2 ? parts.map((part, number) => (number % 2 ? make("code", {}, bare(part)) : part)) : [text];
  return make("p", { lang: "en" }, ...pieces);
}

function fill(node, allowed, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (!allowed.test(name)) throw new Error(`the attribute ${name} is not allowed`);
    if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== false));
  return node;
}
