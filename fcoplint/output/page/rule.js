/* A finding with what its rule's file says to people. The texts of rules are English. */

/** What is wrong, where, why, what to do next; `level` is that of its heading. */
function findingBlock(finding, level, openCard = null) {
  const rule = finding.rule;
  return make("article", { class: `finding ${finding.severity}` },
    make(`h${level}`, {}, make("span", { class: `badge ${finding.severity}` }, words.call("severity", finding.severity)), ` ${finding.code} ${rule.name}`),
    prose(finding.message),
    make("p", { class: "place" }, bare(placeOf(finding))),
    finding.source && make("pre", { tabindex: "0" }, bare(finding.source)),
    finding.commit && make("p", { class: "meta" }, words.say("commit"), " ", bare(`${finding.commit.id.slice(0, 12)} ${finding.commit.date} ${finding.commit.author}`)),
    finding.related.length > 0 && make("p", { class: "meta" }, words.say("see"), " ", bare(finding.related.join(", "))),
    finding.help && labelled("help", finding.help),
    finding.next.length > 0 && make("p", { class: "next" }, words.say("next"), " ", make("code", {}, bare(finding.next.map(quoted).join(" ")))),
    labelled("why", rule.why),
    make("details", {}, make("summary", {}, words.say("rule", { code: finding.code })),
      make("p", { lang: "en" }, rule.title), ...paragraphs(rule.checks), make("p", { class: "meta" }, words.say("remedy")), ...paragraphs(rule.remedy), make("p", { class: "meta" }, `${words.say("spec")} ${rule.spec}`)),
    openCard && finding.card && button(words.say("open-task", { id: finding.card.id }), () => openCard(finding.card)),
  );
}

function labelled(key, text) {
  const made = prose(text);
  made.prepend(make("strong", { lang: words.language }, words.say(key)), " ");
  return made;
}

/** Markdown of our own rules as it is written: paragraphs, and tables as they stand. */
function paragraphs(text) {
  return (text ?? "").split(/\n\n+/).filter(Boolean).map((part) => (/^[|`]/.test(part) ? make("pre", { lang: "en", tabindex: "0" }, part) : prose(part.replace(/\n/g, " "))));
}

/** A word as a shell takes it. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\"'\"'")}'`;
}
