/* The board: a column a stage, in each the TASKs that lie there, those that have waited longest first. */

/* At most this many elements and texts in all columns together, and how many a card has. */
const BOARD_NODES = 460, CARD_NODES = 10;
const CARD_HEIGHT = 70;

const board = {
  columns: [],

  /** Lay out the columns; `open` is called with a TASK. */
  build(open) {
    const most = Math.max(4, Math.floor(BOARD_NODES / CARD_NODES / Math.max(1, data.stages.length)));
    this.columns = data.stages.map((stage, place) => {
      const list = new VirtualList({
        label: words.call("stage", stage), rowHeight: CARD_HEIGHT, most, render: cardRow, open,
        aside: (step, active) => this.step(place, step, active),
      });
      const count = make("span", { class: "count" });
      const head = make("h2", { class: `stage-${stage}` }, words.call("stage", stage), " ", count);
      return { stage, list, count, node: make("section", { class: "column" }, head, list.box) };
    });
    const columns = make("div", { class: "columns" }, ...this.columns.map((column) => column.node));
    const absent = data.workspaces.length ? "no-tasks" : "nothing";
    document.getElementById("board").replaceChildren(this.columns.length ? columns : nothing(absent), ...issueList());
  },

  /** Show the TASKs that are asked for; how many they are. */
  show() {
    const wanted = cards.filter((card) => filters.wants(card));
    for (const { stage, list, count } of this.columns) {
      const here = wanted.filter((card) => card.stage === stage).sort(isOver(stage) ? newestFirst : oldestFirst);
      count.textContent = String(here.length);
      list.show(here);
    }
    return wanted.length;
  },

  /** Go to the next column that holds anything. */
  step(place, step, active) {
    for (let next = place + step; next >= 0 && next < this.columns.length; next += step) {
      const { list } = this.columns[next];
      if (list.items.length) {
        list.box.focus();
        list.goTo(active);
        return;
      }
    }
  },
};

function isOver(stage) {
  return stage === "done" || stage === "archive";
}

function oldestFirst(one, other) {
  return (one.since ?? Infinity) - (other.since ?? Infinity) || one.number - other.number;
}

function newestFirst(one, other) {
  return (other.since ?? 0) - (one.since ?? 0) || one.number - other.number;
}

function cardRow(card) {
  const age = card.age === null ? "" : ` \u00b7 ${sayLength(card.age)}`;
  return [
    bare(card.id, "id"),
    bare(card.title ?? "", "title"),
    aside(`${card.holder ?? "?"}${age}`),
    card.worst && badge(card.worst, badgeText(card)),
  ];
}

/** How many findings of the worst severity, and how many more: `error 2 +1`. */
function badgeText(card) {
  const worst = card.findings.filter((finding) => finding.severity === card.worst).length;
  const more = card.findings.length - worst;
  return `${words.call("severity", card.worst)} ${worst}${more ? ` +${more}` : ""}`;
}

/** The open ISSUEs; nothing where there are none. */
function issueList() {
  if (!data.issues.length) return [];
  const row = (issue) => make("li", {},
    bare(issue.id, "id"), " ", badge("plain", bare(issue.severity ?? "?")), " ",
    bare(issue.summary ?? ""), " ", aside(bare(issue.reporter ?? "?")));
  return [counted(2, "open-issues", data.issues.length), listed(data.issues, 50, row, "issues")];
}
