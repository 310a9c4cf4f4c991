/* Puts the views together: tabs, filters, keys, languages, printing. */

const VIEWS = ["board", "findings", "trends", "unseen"];
let current = "board";

function build() {
  words.spread();
  filters.offer();
  board.build((card) => detail.open(card));
  findingsView.build((card) => detail.open(card));
  buildTrends();
  buildUnseen();
  document.getElementById("about").replaceChildren(...about());
  document.getElementById("count-unseen").textContent = String(unseenCount());
  refresh();
}

/** Show what is asked for, and say how much that is. */
function refresh() {
  filters.read();
  const [tasks, told] = [board.show(), findingsView.show()];
  document.getElementById("count-board").textContent = String(tasks);
  document.getElementById("count-findings").textContent = String(told);
  document.getElementById("shown").textContent = words.say("shown", { tasks, of: cards.length, findings: told, all: findings.length });
}

function about() {
  const listed = data.workspaces.slice(0, 5).map((each) => words.say(each.leader ? "workspace-led" : "workspace", each));
  const more = data.workspaces.length - listed.length;
  const told = [...listed, ...(more > 0 ? [words.say("more", { n: more })] : []), words.say("made", { time: sayTime(data.made) })];
  return [bare(told.join(" \u00b7 "))];
}

function select(view, takeFocus = false) {
  current = view;
  for (const name of VIEWS) {
    const tab = document.getElementById(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === view));
    tab.tabIndex = name === view ? 0 : -1;
    document.getElementById(name).hidden = name !== view;
  }
  document.getElementById("filters").hidden = view !== "board" && view !== "findings";
  if (takeFocus) document.getElementById(`tab-${view}`).focus();
}

function onTabKey(event) {
  const place = VIEWS.indexOf(current);
  const last = VIEWS.length - 1;
  const to = { ArrowRight: place === last ? 0 : place + 1, ArrowLeft: place === 0 ? last : place - 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  select(VIEWS[to], true);
  event.preventDefault();
}

/** `/` goes to the search from anywhere but a field; Escape there takes the search away. */
function onKey(event) {
  const search = document.getElementById("search");
  const isTyping = event.target.closest("input, select, dialog");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    if (document.getElementById("filters").hidden) select("board");
    search.focus();
    search.select();
    event.preventDefault();
  } else if (event.key === "Escape" && event.target === search) {
    search.value = "";
    refresh();
    const lists = current === "findings" ? [findingsView.list] : board.columns.map((column) => column.list);
    lists.find((list) => list.items.length)?.box.focus();
  }
}

/** On paper every list is whole. */
function print(isPrinting) {
  for (const list of [...board.columns.map((column) => column.list), findingsView.list, ...(detail.lists ?? [])]) {
    list.whole = isPrinting;
    list.box.classList.toggle("whole", isPrinting);
    list.drawn = null;
    list.draw();
  }
}

for (const view of VIEWS) document.getElementById(`tab-${view}`).addEventListener("click", () => select(view));
document.getElementById("tabs").addEventListener("keydown", onTabKey);
document.getElementById("filters").addEventListener("input", refresh);
document.getElementById("filters").addEventListener("reset", () => setTimeout(refresh));
document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", onKey);
document.getElementById("language").addEventListener("change", (event) => {
  words.language = event.target.value;
  build();
});
matchMedia("print").addEventListener("change", (event) => print(event.matches));
words.language = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
document.getElementById("language").value = words.language;
select("board");
build();
// Seen in a browser's performance tools, and by the tests.
performance.mark("built");
