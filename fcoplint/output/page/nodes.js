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
