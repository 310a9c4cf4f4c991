/* One TASK: its facts, its life drawn to scale, its events, papers, parents and children, its findings. */

const detail = {
  card: null,

  /** Show a TASK in the dialog. Escape closes it, and the focus goes back to where it was. */
  open(card) {
    const dialog = document.getElementById("detail");
    this.card = card;
    const close = button(words.say("close"), () => dialog.close(), "close");
    const title = make("h2", { id: "detail-title" }, bare(card.id), card.title && bare(card.title, "title"));
    dialog.replaceChildren(make("div", { class: "inner" }, make("div", { class: "headline" }, title, close), ...this.parts(card)));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    // The lists know how high they are only now.
    for (const list of this.lists) list.draw();
    close.focus();
  },

  parts(card) {
    this.lists = [];
    const open = (other) => this.open(other);
    const drawn = timeline(card);
    return [
      facts(card),
      make("h3", {}, words.say("life")),
      ...(drawn.length ? drawn : [nothing("no-life")]),
      ...this.events(card),
      ...papers(card),
      ...relatives("parents", card, card.parents, open),
      ...relatives("children", card, card.children, open),
      counted(3, "findings", card.findings.length),
      ...card.findings.slice(0, 100).map((finding) => findingBlock(finding, 4)),
      card.findings.length === 0 && nothing("no-findings"),
      card.findings.length > 100 && make("p", {}, words.say("more", { n: card.findings.length - 100 })),
    ].filter(Boolean);
  },

  events(card) {
    if (!card.events.length) return [nothing("no-events")];
    const list = new VirtualList({ label: words.say("events"), rowHeight: 30, most: 14, render: eventRow, open: () => {} });
    this.lists.push(list);
    list.show(eventsOf(card));
    return [counted(3, "events", card.events.length), list.box];
  },
};

function facts(card) {
  const pairs = {
    stage: words.call("stage", card.stage),
    holder: card.holder,
    since: card.since === null ? null : `${sayTime(card.since)} (${sayLength(card.age)})`,
    sender: card.sender,
    recipient: card.recipient,
    priority: card.priority,
    path: card.path,
  };
  const known = Object.entries(pairs).filter(([, value]) => value);
  return make("dl", {}, ...known.flatMap(([key, value]) => [make("dt", {}, words.say(key)), make("dd", {}, bare(value))]));
}

function eventRow(event) {
  const when = event.at === null ? (event.said ?? words.say("unknown")) : sayTime(event.at);
  const source = event.source === null ? "\u2205" : words.call("stage", event.source);
  const move = `${source} \u2192 ${words.call("stage", event.target ?? "?")}`;
  return [bare(when, "when"), bare(move, "move"), bare(event.by ?? "?"), bare(event.tool ?? ""), bare(event.note ?? "")];
}

function papers(card) {
  if (!card.papers.length) return [];
  const head = ["paper", "author", "verdict", "time"].map((key) => words.say(key));
  const rows = card.papers.map((paper) => [
    bare(paper.id), bare(paper.author ?? "?"), bare(words.call("verdict", paper.verdict ?? "?")), sayTime(paper.at, paper.dated === 1),
  ]);
  return [make("h3", {}, words.say("papers")), tableOf(head, rows)];
}

function relatives(key, card, names, open) {
  if (!names.length) return [];
  const row = (name) => {
    const found = cardNamed(card, name);
    if (!found) return make("li", {}, bare(name));
    return make("li", {}, button(bare(name), () => open(found), "link"), ` ${words.call("stage", found.stage)}`);
  };
  return [make("h3", {}, words.say(key)), listed(names, 200, row)];
}
