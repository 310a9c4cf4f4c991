/* What was not looked at, and what is excused: silence must not be taken for soundness. */

/** How many things the view tells. */
function unseenCount() {
  return data.notes.length + findings.filter((finding) => finding.unseen).length + (data.older ? 1 : 0);
}

function buildUnseen() {
  const unread = findings.filter((finding) => finding.unseen);
  const notes = data.notes.map((note) => make("li", {}, note.path !== null && bare(`${note.path}: `), make("span", { lang: "en" }, bare(note.text))));
  const older = data.older ? [make("li", {}, words.say("older", { n: data.older }))] : [];
  const parts = [...notes, ...older, ...unread.slice(0, 200).map((finding) => make("li", {}, bare(`${placeOf(finding)}: `), make("span", { lang: "en" }, bare(finding.message))))];
  const more = unread.length - 200;
  document.getElementById("unseen").replaceChildren(
    make("h2", {}, words.say("unseen")),
    parts.length ? make("ul", {}, ...parts, more > 0 && make("li", {}, words.say("more", { n: more }))) : make("p", { class: "nothing" }, words.say("all-seen")),
    make("h2", {}, words.say("excused"), " ", make("span", { class: "count" }, String(Object.values(data.excused).reduce((sum, number) => sum + number, 0)))),
    ...excusedList(),
  );
}

function excusedList() {
  if (!data.suppressed.length) return [make("p", { class: "nothing" }, words.say("none-excused"))];
  const rows = data.suppressed.slice(0, 500).map((item) => make("li", {},
    `${item.code} `, bare(item.path), " ", make("span", { class: "meta" }, words.call("excuse", item.kind), item.reason ? ": " : "", bare(item.reason ?? ""))));
  const more = data.suppressed.length - rows.length;
  return [make("ul", {}, ...rows, more > 0 && make("li", {}, words.say("more", { n: more })))];
}
