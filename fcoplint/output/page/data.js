/* The report's tables as objects: cards (TASKs) with their events and papers, findings with their card. */

const SEVERITIES = ["error", "warning", "info"];

/** Objects of a table's rows; what a short row leaves out at its end is null. */
function rowsOf(columns, rows) {
  return rows.map((row) => Object.fromEntries(columns.map((column, number) => [column, row[number] ?? null])));
}

/** A text that is kept once, by its number. */
function textOf(number) {
  return number === null ? null : data.texts[number];
}

const cards = rowsOf(data.cards.columns, data.cards.rows);
const findings = rowsOf(data.findings.columns, data.findings.rows);
const cardsByName = new Map();

cards.forEach((card, number) => {
  card.number = number;
  for (const column of ["stage", "sender", "recipient", "holder", "priority"]) card[column] = textOf(card[column]);
  card.path = [data.folders[card.folder], card.file ?? `${card.id}.md`].filter(Boolean).join("/");
  card.age = card.since === null ? null : Math.max(0, data.made - card.since);
  card.papers = rowsOf(data.columns.paper, card.papers);
  card.findings = [];
  card.worst = null;
  card.roles = new Set([card.sender, card.recipient, card.holder].filter(Boolean));
  card.words = [card.path, card.title, card.priority, ...card.roles, ...card.papers.map((paper) => paper.id)].join("\n").toLowerCase();
  const key = `${card.workspace}/${card.id}`;
  if (!cardsByName.has(key)) cardsByName.set(key, card);
});

// Worst first, as they come.
findings.forEach((finding, number) => {
  finding.number = number;
  finding.rule = data.rules[finding.code];
  finding.card = finding.card === null ? null : cards[finding.card];
  finding.path ??= finding.card.path;
  finding.message = textOf(finding.message) ?? "";
  finding.help = textOf(finding.help);
  // The path as one types it where the audit ran.
  finding.next = finding.next.map((word) => (word === 0 ? finding.path.slice(data.base.length) : word));
  finding.words = [finding.code, finding.rule.name, finding.path, finding.message].join("\n").toLowerCase();
  if (finding.card) {
    finding.card.findings.push(finding);
    finding.card.worst ??= finding.severity;
  }
});

/** A card's events as objects; only of the one that is looked at. */
function eventsOf(card) {
  const events = rowsOf(data.columns.event, card.events);
  for (const event of events) {
    for (const column of ["source", "target", "by", "tool", "note", "said"]) event[column] = textOf(event[column]);
  }
  return events;
}

/** The card of a name in the same workspace, undefined where there is none. */
function cardNamed(card, name) {
  return cardsByName.get(`${card.workspace}/${name}`);
}

/** Where a finding stands, as `path:line`. */
function placeOf(finding) {
  return finding.line === null ? finding.path : `${finding.path}:${finding.line}`;
}
