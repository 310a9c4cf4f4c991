/* Scales of drawings: times along the x axis, numbers along the y axis, and where their marks stand. */

/** A function from a value to pixels; a range of no length lies in the middle. */
function scale(low, high, start, end) {
  return (value) => (high === low ? (start + end) / 2 : start + ((value - low) / (high - low)) * (end - start));
}

/** Round numbers (multiples of 1, 2 or 5 times a power of ten) up to a highest one. */
function numberTicks(high, count = 4) {
  const rough = Math.max(high, 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough));
  const ticks = [];
  for (let value = 0; value <= high + step / 1e6; value += step) ticks.push(value);
  return ticks;
}

/** Moments at equal distances between two others, each with its text: days, or minutes where they are close. */
function timeTicks(low, high, count = 5) {
  const near = high - low < count * DAY;
  const ticks = Array.from({ length: count }, (_, number) => low + ((high - low) * number) / (count - 1));
  return [...new Set(high === low ? [low] : ticks)].map((at) => [at, near ? sayTime(at).slice(5, 16) : sayTime(at, true)]);
}
