/* A list of any length that holds only the rows that can be seen: a listbox, walked with the arrow keys. */

let listNumber = 0;

class VirtualList {
  /**
   * `rowHeight` is in pixels (page.css draws rows as high as `--row` says), `most` the rows that may be drawn at once.
   * `render(item)` gives the nodes of a row, `open(item)` is called for Enter and a click.
   */
  constructor({ label, rowHeight, most, render, open, look = () => {}, aside = () => {} }) {
    Object.assign(this, { rowHeight, most, render, open, look, aside });
    this.name = `list-${(listNumber += 1)}`;
    this.items = [];
    this.active = 0;
    this.whole = false;
    this.rows = make("div", { class: "rows", role: "presentation" });
    this.box = make("div", { class: "list", role: "listbox", tabindex: "0", "aria-label": label }, this.rows);
    this.box.style.setProperty("--row", `${rowHeight}px`);
    this.box.style.maxHeight = `${(most - 2) * rowHeight}px`;
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.box.addEventListener("click", (event) => this.onClick(event));
    this.box.addEventListener("focus", () => this.look(this.items[this.active]));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Show other items, from the top. */
  show(items) {
    this.items = items;
    this.active = 0;
    this.box.scrollTop = 0;
    this.box.hidden = items.length === 0;
    this.rows.style.height = `${items.length * this.rowHeight}px`;
    this.drawn = null;
    this.draw();
  }

  /** Make an item the one that keys act on, and bring it into view. */
  goTo(number) {
    if (this.items.length === 0) return;
    this.active = Math.max(0, Math.min(number, this.items.length - 1));
    const top = this.active * this.rowHeight;
    const seen = this.box.clientHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    if (top + this.rowHeight > this.box.scrollTop + seen) this.box.scrollTop = top + this.rowHeight - seen;
    this.drawn = null;
    this.draw();
    this.look(this.items[this.active]);
  }

  /** Draw the rows in view; all of them (as many as anybody prints) while the page is printed. */
  draw() {
    const first = this.whole ? 0 : Math.max(0, Math.floor(this.box.scrollTop / this.rowHeight));
    const count = this.whole ? PRINTED : Math.min(this.most, Math.ceil(this.box.clientHeight / this.rowHeight) + 1);
    const last = Math.min(this.items.length, first + count);
    if (this.drawn === `${first}-${last}`) return;
    this.drawn = `${first}-${last}`;
    this.rows.replaceChildren(...this.items.slice(first, last).map((item, number) => this.row(item, first + number)));
    // Only a row that is there can be pointed at.
    const isThere = this.active >= first && this.active < last;
    if (isThere) this.box.setAttribute("aria-activedescendant", `${this.name}-${this.active}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(item, number) {
    const isActive = number === this.active;
    const row = make("div", {
      class: "row", role: "option", id: `${this.name}-${number}`, "data-number": String(number), "aria-selected": String(isActive),
      "aria-setsize": String(this.items.length), "aria-posinset": String(number + 1),
    }, ...this.render(item));
    row.style.top = `${number * this.rowHeight}px`;
    return row;
  }

  onKey(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight) - 1);
    const to = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page,
      Home: 0, End: this.items.length - 1 }[event.key];
    if (to !== undefined) this.goTo(to);
    else if (event.key === "Enter" || event.key === " ") this.open(this.items[this.active]);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.aside(event.key === "ArrowLeft" ? -1 : 1, this.active);
    else return;
    event.preventDefault();
  }

  onClick(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    this.goTo(Number(row.dataset.number));
    this.open(this.items[this.active]);
  }
}

/* What is printed of a list; nobody reads ten thousand rows on paper. */
const PRINTED = 1000;
