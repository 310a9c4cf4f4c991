/* A TASK's life drawn to scale: a bar a stay in a stage, marks for REPORTs and REVIEWs, and its parents and children above and below. */

const LIFE_WIDTH = 680, LABEL_WIDTH = 200, LANE = 26;
/* Relatives beyond these are named in the lists only. */
const RELATIVES = 8;

/** The drawing, null where nothing of it has a time. */
function timeline(card) {
  const parents = card.parents.map((name) => cardNamed(card, name)).filter(Boolean).slice(0, RELATIVES);
  const children = card.children.map((name) => cardNamed(card, name)).filter(Boolean).slice(0, RELATIVES);
  const lives = [...parents, card, ...children].map((each) => ({ card: each, stays: staysOf(each) }));
  const papers = card.papers.filter((paper) => paper.at !== null);
  const times = [...lives.flatMap(({ stays }) => (stays.length ? [stays[0].from, stays.at(-1).to] : [])), ...papers.map((paper) => paper.at)];
  if (!times.length) return null;
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const x = scale(low, high, LABEL_WIDTH + 6, LIFE_WIDTH - 50);
  const lanes = lives.flatMap((life) => [lifeLane(life, x, life.card === card), ...(life.card === card && papers.length ? [paperLane(papers, x)] : [])]);
  const height = lanes.length * LANE + 34;
  const label = words.say("timeline-label", { id: card.id, from: sayTime(low), to: sayTime(high), events: card.events.length, papers: papers.length });
  return draw("svg", { class: "timeline", role: "img", "aria-label": label, viewBox: `0 0 ${LIFE_WIDTH} ${height}` },
    ...lanes.map((lane, number) => draw("g", { transform: `translate(0 ${number * LANE})` }, ...lane)),
    ...timeTicks(low, high, 4).map(([at, text]) => draw("g", { transform: `translate(${x(at)} 0)` },
      draw("line", { class: "grid", y1: "0", y2: String(height - 22) }), draw("text", { y: String(height - 6), "text-anchor": "middle" }, text))),
  );
}

/** How long a TASK stood in each stage, by its events in their order; what is still open goes on until the page was made. */
function staysOf(card) {
  const dated = eventsOf(card).filter((event) => event.at !== null);
  return dated.map((event, number) => {
    const next = dated[number + 1];
    const end = next ? next.at : isOver(event.target) ? event.at : Math.max(event.at, data.made);
    return { stage: event.target, from: event.at, to: Math.max(event.at, end), event };
  }).sort((one, other) => one.from - other.from);
}

function lifeLane({ card, stays }, x, isOwn) {
  const name = draw("text", { class: isOwn ? "own" : "", x: "0", y: "17" }, short(card.id));
  return [name, ...visible(stays, x).map(({ stage, from, to, event }) => draw("rect", {
    class: `stay stage-${data.stages.includes(stage) ? stage : "other"}`, x: String(x(from)), y: isOwn ? "4" : "8",
    width: String(Math.max(3, x(to) - x(from))), height: isOwn ? "18" : "10",
  }, draw("title", {}, `${words.call("stage", stage ?? "?")}: ${sayTime(from)}, ${sayLength(to - from)} (${event.by ?? "?"})`)))];
}

/** Of stays that would be drawn on the same pixel, the longest: five thousand events have room on no screen. */
function visible(stays, x) {
  const byPixel = new Map();
  for (const stay of stays) {
    const pixel = Math.floor(x(stay.from));
    const there = byPixel.get(pixel);
    if (!there || there.to - there.from < stay.to - stay.from) byPixel.set(pixel, stay);
  }
  return [...byPixel.values()];
}

function paperLane(papers, x) {
  return papers.slice(0, 200).map((paper) => draw("path", {
    class: `mark ${paper.kind.toLowerCase()}`, transform: `translate(${x(paper.at)} 13)`, d: paper.kind === "REVIEW" ? "M0-7 7 0 0 7-7 0Z" : "M-6-6H6V6H-6Z",
  }, draw("title", {}, `${paper.id}: ${paper.verdict ?? "?"}, ${sayTime(paper.at, paper.dated === 1)}`)));
}

/** A name that fits beside its lane. */
function short(name) {
  return name.length > 30 ? `${name.slice(0, 29)}\u2026` : name;
}
