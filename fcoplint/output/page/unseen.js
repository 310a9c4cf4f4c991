/* What was not looked at, and what is excused: silence must not be taken for soundness. */

/** How many things the view tells. */
function unseenCount() {
  return data.notes.length + findings.filter((finding) => finding.unseen).length + (data.older ? 1 : 0);
}

function buildUnseen() {
  const english = (text) => make("span", { lang: "en" }, bare(text));
  const notes = data.notes.map(({ path, text }) => make("li", {}, path !== null && bare(`${path}: `), english(text)));
  const older = data.older ? [make("li", {}, words.say("older", { n: data.older }))] : [];
  const unread = findings.filter((finding) => finding.unseen)
    .map((finding) => make("li", {}, bare(`${placeOf(finding)}: `), english(finding.message)));
  const told = [...notes, ...older, ...unread];
  const excused = Object.values(data.excused).reduce((sum, number) => sum + number, 0);
  document.getElementById("unseen").replaceChildren(
    make("h2", {}, words.say("unseen")),
    told.length ? listed(told, 200, (item) => item) : nothing("all-seen"),
    counted(2, "excused", excused),
    data.suppressed.length ? listed(data.suppressed, 500, excusedRow) : nothing("none-excused"),
  );
}

function excusedRow(item) {
  const why = item.reason ? [": ", bare(item.reason)] : [];
  return make("li", {}, `${item.code} `, bare(item.path), " ", aside(words.call("excuse", item.kind), ...why));
}
