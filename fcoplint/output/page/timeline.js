/* A TASK's life drawn to scale: a bar a stay in a stage, marks for REPORTs and REVIEWs, its parents above it and its children below. */

const LIFE = { width: 680, left: 232, right: 40, lane: 26, foot: 34 };
/* Relatives beyond these are named in the lists only. */
const RELATIVES = 8;

/** The drawing with its legend; nothing where no event or paper of the TASK has a time. */
function timeline(card) {
  const lanes = [...relativesOf(card, card.parents), card].map(lifeOf);
  const papers = card.papers.filter((paper) => paper.at !== null).slice(0, 200);
  const children = relativesOf(card, card.children).map(lifeOf);
  // A parent may be much older, and is drawn as far as it lies beside the TASK.
  const stays = [lanes.at(-1), ...children].flatMap((life) => life.stays);
  if (!stays.length && !papers.length) return [];
  const [low, high] = spanOf(stays, papers);
  const x = scale(low, high, LIFE.left, LIFE.width - LIFE.right);
  const clip = (at) => x(Math.min(high, Math.max(low, at)));
  const lane = (life) => lifeLane(life, clip, life.card === card);
  const drawn = [...lanes.map(lane), ...(papers.length ? [paperLane(papers, clip)] : []), ...children.map(lane)];
  const height = drawn.length * LIFE.lane + LIFE.foot;
  const counts = { events: card.events.length, papers: card.papers.length };
  const label = words.say("timeline-label", { id: card.id, from: sayTime(low), to: sayTime(high), ...counts });
  const picture = draw("svg", { class: "timeline", role: "img", "aria-label": label, viewBox: `0 0 ${LIFE.width} ${height}` },
    ...timeTicks(low, high, 4).map(([at, text]) => draw("g", { transform: `translate(${x(at)} 0)` },
      draw("line", { class: "grid", y1: 0, y2: height - 22 }),
      draw("text", { y: height - 6, "text-anchor": "middle" }, text))),
    ...drawn.map((lane, number) => draw("g", { transform: `translate(0 ${number * LIFE.lane})` }, ...lane)));
  const seen = [...lanes, ...children].flatMap((life) => life.stays.map((stay) => stay.stage));
  const frame = make("div", { class: "drawing", tabindex: "0", role: "group", "aria-label": words.say("life") }, picture);
  return [frame, legend(new Set(seen), papers)];
}

function relativesOf(card, names) {
  return names.map((name) => cardNamed(card, name)).filter((found) => found && found !== card).slice(0, RELATIVES);
}

/** How long a TASK stood in each stage, by its events in their order; what is still open goes on until the page was made. */
function lifeOf(card) {
  const dated = eventsOf(card).filter((event) => event.at !== null);
  const stays = dated.map((event, number) => {
    const next = dated[number + 1];
    const end = next ? next.at : isOver(event.target) ? event.at : data.made;
    return { stage: stageOf(event.target), from: event.at, to: Math.max(event.at, end), event };
  });
  return { card, stays };
}

function stageOf(word) {
  return data.stages.includes(word) ? word : "other";
}

/** The time that stays and papers take; a paper of which only the day is known takes none where its day is in it. */
function spanOf(stays, papers) {
  let [low, high] = [Infinity, -Infinity];
  const take = (from, to) => [low, high] = [Math.min(low, from), Math.max(high, to)];
  for (const stay of stays) take(stay.from, stay.to);
  for (const paper of papers) {
    if (!paper.dated) take(paper.at, paper.at);
    else if (paper.at > high || paper.at + DAY < low) take(paper.at, paper.at + DAY);
  }
  return [low, high];
}

function lifeLane({ card, stays }, x, isOwn) {
  const bars = visible(stays, x).map(({ stage, from, to, event }) => {
    const place = { x: x(from), y: isOwn ? 4 : 8, width: Math.max(3, x(to) - x(from)), height: isOwn ? 18 : 10 };
    const told = `${words.call("stage", event.target ?? "?")}: ${sayTime(from)}, ${sayLength(to - from)} (${event.by ?? "?"})`;
    return draw("rect", { class: `stay stage-${stage}`, ...place }, draw("title", {}, told));
  });
  return [draw("text", { class: isOwn ? "own" : "", x: 4, y: 17 }, short(card.id)), ...bars];
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
  const marks = papers.map((paper) => {
    const told = `${paper.id}: ${paper.verdict ?? "?"}, ${sayTime(paper.at, paper.dated === 1)}`;
    const look = `mark ${paper.kind.toLowerCase()}${paper.dated ? " day" : ""}`;
    const transform = paper.dated ? null : `translate(${x(paper.at)} 13)`;
    return draw("path", { class: look, transform, d: shapeOf(paper, x) }, draw("title", {}, told));
  });
  return [draw("text", { x: 4, y: 17 }, words.say("papers")), ...marks];
}

/** A square for a REPORT, a diamond for a REVIEW; a bar over the day where only that is known. */
function shapeOf(paper, x) {
  if (paper.dated) return `M${x(paper.at)} 8H${Math.max(x(paper.at) + 4, x(paper.at + DAY))}V18H${x(paper.at)}Z`;
  return paper.kind === "REVIEW" ? "M0-7 7 0 0 7-7 0Z" : "M-6-6H6V6H-6Z";
}

function legend(stages, papers) {
  const kinds = new Set(papers.map((paper) => paper.kind));
  const known = [...data.stages, "other"].filter((stage) => stages.has(stage));
  return make("ul", { class: "legend" },
    ...known.map((stage) => make("li", { class: `stage-${stage}` }, words.call("stage", stage))),
    ...["REPORT", "REVIEW"].filter((kind) => kinds.has(kind)).map((kind) => make("li", { class: `paper-${kind.toLowerCase()}` }, kind)));
}

/** A name that fits beside its lane. */
function short(name) {
  return name.length > 30 ? `${name.slice(0, 29)}\u2026` : name;
}
