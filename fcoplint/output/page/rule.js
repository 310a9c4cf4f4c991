/* A finding with what its rule's file says to people. The texts of rules are English. */

/** What is wrong, where, why, what to do next; `level` is that of its heading. */
function findingBlock(finding, level, openCard = null) {
  const { commit, rule } = finding;
  return make("article", { class: `finding ${finding.severity}` },
    make(`h${level}`, {}, badge(finding.severity), ` ${finding.code} ${rule.name}`),
    prose(finding.message),
    make("p", { class: "place" }, bare(placeOf(finding))),
    finding.source && make("pre", { tabindex: "0" }, bare(finding.source)),
    commit && noted("commit", bare(`${commit.id.slice(0, 12)} ${commit.date} ${commit.author}`)),
    finding.related.length > 0 && noted("see", bare(finding.related.join(", "))),
    finding.help && labelled("help", finding.help),
    finding.next.length > 0 && make("p", {}, words.say("next"), " ", make("code", {}, bare(finding.next.map(quoted).join(" ")))),
    labelled("why", rule.why),
    ruleBlock(finding.code, rule),
    openCard && finding.card && button(words.say("open-task", { id: finding.card.id }), () => openCard(finding.card)),
  );
}

/** What the rule's file says beyond its reason. */
function ruleBlock(code, rule) {
  return make("details", {},
    make("summary", {}, words.say("rule", { code })),
    make("p", { lang: "en" }, rule.title), ...paragraphs(rule.checks),
    noted("remedy"), ...paragraphs(rule.remedy),
    noted("spec", rule.spec));
}

function noted(key, ...children) {
  return make("p", { class: "meta" }, words.say(key), " ", ...children);
}

function labelled(key, text) {
  const made = prose(text);
  made.prepend(make("strong", { lang: words.language }, words.say(key)), " ");
  return made;
}

/** Markdown of our own rules as it is written: paragraphs, and tables as they stand. */
function paragraphs(text) {
  const asItStands = (part) => make("pre", { lang: "en", tabindex: "0" }, part);
  const asProse = (part) => prose(part.replace(/\n/g, " "));
  return (text ?? "").split(/\n\n+/).filter(Boolean).map((part) => (/^[|`]/.test(part) ? asItStands(part) : asProse(part)));
}

/** A word as a shell takes it. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\"'\"'")}'`;
}
