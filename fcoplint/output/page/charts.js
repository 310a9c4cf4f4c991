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
    draw("svg", { role: "img", "aria-label": title, viewBox: `0 0 ${CHART.width} ${CHART.height}` },
      ...axes(low, last, high, x, y, say), ...shapes.flat()),
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
  return kind === "line" ? lineShapes(points, look, x, y) : barShapes(points, look, name, x, y, unit);
}

function lineShapes(points, look, x, y) {
  const line = draw("polyline", { class: `line ${look}`, points: points.map(([at, , top]) => `${x(at)},${y(top)}`).join(" ") });
  return [line, ...points.map(([at, , top]) => draw("circle", { class: `dot ${look}`, cx: x(at), cy: y(top), r: 3 }))];
}

function barShapes(points, look, name, x, y, unit) {
  return points.filter(([, bottom, top]) => top > bottom).map(([at, bottom, top]) => {
    const place = { x: x(at), y: y(top), width: Math.max(2, x(at + unit) - x(at) - 1), height: y(bottom) - y(top) };
    return draw("rect", { class: `bar ${look}`, ...place }, draw("title", {}, `${sayTime(at, true)} ${name}: ${top - bottom}`));
  });
}

/** A step goes on at its height until the next one: between two commits nothing changed. */
function area(times, layer, x, y) {
  const starts = times.map(x);
  const ends = [...starts.slice(1), starts.at(-1)];
  const above = layer.map(([, top], number) => `${starts[number]} ${y(top)}L${ends[number]} ${y(top)}`);
  const below = layer.map(([bottom], number) => `${ends[number]} ${y(bottom)}L${starts[number]} ${y(bottom)}`).reverse();
  return `M${[...above, ...below].join("L")}Z`;
}

function axes(low, last, high, x, y, say) {
  const rows = numberTicks(high).map((value) => draw("g", { transform: `translate(0 ${y(value)})` },
    draw("line", { class: "grid", x1: CHART.left, x2: CHART.width - CHART.right }),
    draw("text", { x: CHART.left - 6, y: 4, "text-anchor": "end" }, say(value))));
  const columns = timeTicks(low, last).map(([at, text], number, all) => {
    const anchor = all.length === 1 ? "middle" : { 0: "start", [all.length - 1]: "end" }[number] ?? "middle";
    return draw("text", { x: x(at), y: CHART.height - 6, "text-anchor": anchor }, text);
  });
  return [...rows, ...columns];
}

function numbers(title, times, series, say) {
  const rows = times.map((at, number) => [
    sayTime(at, true), ...series.map(([, , values]) => (values[number] === null ? "" : say(values[number]))),
  ]);
  const table = tableOf([words.say("time"), ...series.map(([name]) => name)], rows, true);
  return make("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": title }, table);
}

const UNITS = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY };

/** The view of the past: open work, time in each stage, findings. */
function buildTrends() {
  const past = data.trends;
  const panel = document.getElementById("trends");
  if (!past) {
    panel.replaceChildren(nothing("no-trends"));
    return;
  }
  const period = words.say(`per-${past.unit}`);
  const stage = (name) => [words.call("stage", name), `stage-${name}`];
  const severity = (name) => [words.call("severity", name), name];
  const said = (key, values) => ({ title: words.say(key), note: words.say(`${key}-note`, values) });
  panel.replaceChildren(
    trend(past.open, past.unit, { kind: "area", say: String, ...said("open-work", { n: past.commits }) }, stage),
    trend(past.stays, past.unit, { kind: "line", lengths: true, ...said("lead-time", { period }) }, stage),
    trend(past.findings, past.unit, { kind: "bar", say: String, ...said("findings-brought", { period }) }, severity),
  );
}

function trend({ columns, rows }, unit, shown, called) {
  if (!rows.length) return make("div", {}, make("h2", {}, shown.title), nothing("no-data"));
  const series = columns.map((name, number) => [...called(name), rows.map((row) => row[number + 1])]);
  const told = shown.lengths ? inOneUnit(series) : { series };
  return chart({ ...shown, ...told, times: rows.map((row) => row[0]), unit: UNITS[unit] });
}

/** Lengths of time in the largest unit of which the longest holds two. */
function inOneUnit(series) {
  const longest = Math.max(...series.flatMap(([, , values]) => values));
  const units = [["days", DAY], ["hours", HOUR], ["minutes", MINUTE]];
  const [name, size] = units.find(([, seconds]) => longest >= 2 * seconds) ?? ["seconds", 1];
  return {
    series: series.map(([title, look, values]) => [title, look, values.map((value) => (value === null ? null : value / size))]),
    say: (value) => words.say(name, { n: Math.round(value * 10) / 10 }),
  };
}
