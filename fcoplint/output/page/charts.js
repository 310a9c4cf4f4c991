/* Charts over time, as drawings of our own: areas one upon another, lines, bars. Each comes with its numbers as a table. */

const CHART = { width: 900, height: 240, left: 52, right: 12, top: 10, bottom: 26 };

/** A chart with its heading, its legend and its numbers. `series` are [name, class, values]; `kind` is area, line or bar. */
function chart({ title, note, times, series, kind, unit, say }) {
  const layers = kind === "line" ? series.map(([, , values]) => values.map((value) => [0, value])) : stack(series);
  const high = Math.max(1, ...layers.flat().map(([, top]) => top ?? 0));
  const [low, last] = [times[0], times.at(-1) + (kind === "bar" ? unit : 0)];
  const x = scale(low, last, CHART.left, CHART.width - CHART.right);
  const y = scale(0, high, CHART.height - CHART.bottom, CHART.top);
  const shapes = series.map(([name, look], number) => shapesOf(kind, look, name, times, layers[number], x, y, unit));
  return make("figure", { class: "chart" },
    make("figcaption", {}, make("h2", {}, title), make("p", { class: "meta" }, note)),
    make("ul", { class: "legend" }, ...series.map(([name, look]) => make("li", { class: look }, name))),
    draw("svg", { role: "img", "aria-label": title, viewBox: `0 0 ${CHART.width} ${CHART.height}` }, ...axes(low, last, high, x, y, say), ...shapes.flat()),
    make("details", {}, make("summary", {}, words.say("numbers")), numbers(title, times, series, say)));
}

/** For each series and moment [bottom, top], one upon another. */
function stack(series) {
  const base = series[0][2].map(() => 0);
  return series.map(([, , values]) => values.map((value, at) => [base[at], (base[at] += value ?? 0)]));
}

function shapesOf(kind, look, name, times, layer, x, y, unit) {
  if (kind === "area") return [draw("path", { class: `area ${look}`, d: area(times, layer, x, y) })];
  const points = times.map((at, number) => [at, ...layer[number]]).filter(([, , top]) => top !== null);
  if (kind === "line") {
    const line = points.map(([at, , top]) => `${x(at)},${y(top)}`).join(" ");
    return [draw("polyline", { class: `line ${look}`, points: line }), ...points.map(([at, , top]) => draw("circle", { class: `dot ${look}`, cx: String(x(at)), cy: String(y(top)), r: "3" }))];
  }
  return points.filter(([, bottom, top]) => top > bottom).map(([at, bottom, top]) => draw("rect", {
    class: `bar ${look}`, x: String(x(at)), y: String(y(top)), width: String(Math.max(2, x(at + unit) - x(at) - 1)), height: String(y(bottom) - y(top)),
  }, draw("title", {}, `${sayTime(at, true)} ${name}: ${top - bottom}`)));
}

/** A step goes on at its height until the next one: between two commits nothing changed. */
function area(times, layer, x, y) {
  const tops = layer.map(([, top], number) => `${number ? "L" : "M"}${x(times[number])} ${y(top)}${number + 1 < times.length ? `H${x(times[number + 1])}` : ""}`);
  const bottoms = layer.map(([bottom], number) => `${number + 1 < times.length ? `L${x(times[number + 1])} ${y(bottom)}` : `L${x(times[number])} ${y(bottom)}`}H${x(times[number])}`).reverse();
  return `${tops.join("")}${bottoms.join("")}Z`;
}

function axes(low, last, high, x, y, say) {
  const rows = numberTicks(high).map((value) => draw("g", { transform: `translate(0 ${y(value)})` },
    draw("line", { class: "grid", x1: String(CHART.left), x2: String(CHART.width - CHART.right) }),
    draw("text", { x: String(CHART.left - 6), y: "4", "text-anchor": "end" }, say(value))));
  const ticks = timeTicks(low, last);
  const columns = ticks.map(([at, text], number) => draw("text", {
    x: String(x(at)), y: String(CHART.height - 6), "text-anchor": ticks.length === 1 ? "middle" : number === 0 ? "start" : number === ticks.length - 1 ? "end" : "middle",
  }, text));
  return [...rows, ...columns];
}

function numbers(title, times, series, say) {
  const head = [words.say("time"), ...series.map(([name]) => name)].map((text) => make("th", { scope: "col" }, text));
  const rows = times.map((at, number) => make("tr", {}, make("th", { scope: "row" }, sayTime(at, true)),
    ...series.map(([, , values]) => make("td", {}, values[number] === null ? "" : say(values[number])))));
  return make("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": title }, make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
}

const UNITS = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY };

/** The view of the past: open work, time in each stage, findings. */
function buildTrends() {
  const past = data.trends;
  const panel = document.getElementById("trends");
  if (!past) {
    panel.replaceChildren(make("p", { class: "nothing" }, words.say("no-trends")));
    return;
  }
  const period = words.say(`per-${past.unit}`);
  const made = [
    ["open", { kind: "area", title: words.say("open-work"), note: words.say("open-work-note", { n: past.commits }), say: String }, (name) => [words.call("stage", name), `stage-${name}`]],
    ["stays", { kind: "line", title: words.say("lead-time"), note: words.say("lead-time-note", { period }), lengths: true }, (name) => [words.call("stage", name), `stage-${name}`]],
    ["findings", { kind: "bar", title: words.say("findings-brought"), note: words.say("findings-brought-note", { period }), say: String }, (name) => [words.call("severity", name), name]],
  ].map(([key, shown, called]) => trend(past[key], past.unit, shown, called));
  panel.replaceChildren(...made);
}

function trend({ columns, rows }, unit, shown, called) {
  if (!rows.length) return make("div", {}, make("h2", {}, shown.title), make("p", { class: "nothing" }, words.say("no-data")));
  const series = columns.map((name, number) => [...called(name), rows.map((row) => row[number + 1])]);
  const told = shown.lengths ? inOneUnit(series) : { series };
  return chart({ ...shown, ...told, times: rows.map((row) => row[0]), unit: UNITS[unit] });
}

/** Lengths of time in the largest unit of which the longest holds two. */
function inOneUnit(series) {
  const longest = Math.max(...series.flatMap(([, , values]) => values));
  const [name, size] = [["days", DAY], ["hours", HOUR], ["minutes", MINUTE]].find(([, seconds]) => longest >= 2 * seconds) ?? ["seconds", 1];
  return {
    series: series.map(([title, look, values]) => [title, look, values.map((value) => (value === null ? null : value / size))]),
    say: (value) => words.say(name, { n: Math.round(value * 10) / 10 }),
  };
}
