/* All findings, worst first, and beside them the one that is looked at with its rule's help. */

const findingsView = {
  list: null,

  /** Lay out the list and the place beside it; `openCard` opens a TASK. */
  build(openCard) {
    this.beside = make("section", { class: "beside", "aria-label": words.say("help-beside"), "aria-live": "polite" });
    this.list = new VirtualList({
      label: words.say("findings"), rowHeight: 58, most: 14, render: findingRow,
      look: (finding) => this.look(finding, openCard), open: (finding) => this.look(finding, openCard, true),
    });
    this.nothing = nothing("no-findings");
    const two = make("div", { class: "two" }, make("div", {}, this.list.box, this.nothing), this.beside);
    document.getElementById("findings").replaceChildren(two);
  },

  /** Show the findings that are asked for; how many they are. */
  show() {
    const wanted = findings.filter((finding) => filters.wantsFinding(finding));
    this.list.show(wanted);
    this.nothing.hidden = wanted.length > 0;
    this.beside.replaceChildren();
    return wanted.length;
  },

  look(finding, openCard, isChosen = false) {
    if (!finding) return;
    this.beside.replaceChildren(findingBlock(finding, 2, openCard));
    if (isChosen) this.beside.scrollIntoView({ block: "nearest" });
  },
};

function findingRow(finding) {
  return [
    badge(finding.severity),
    make("span", { class: "id" }, `${finding.code} ${finding.rule.name}`),
    bare(finding.message.replaceAll("`", ""), "title"),
    bare(placeOf(finding).replace(/^.*\//, ""), "meta"),
  ];
}
