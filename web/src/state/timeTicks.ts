/** The marks of an axis of time. */

/** Round steps of time between the marks of an axis, in ms. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000,
  3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000,
];

/** At most `most` marks; one more where a wider step would leave a single mark. Round in a zone that is so many milliseconds ahead of UTC. */
export function chooseTicks(from: number, to: number, most: number, ahead = 0): number[] {
  return chooseRound(from + ahead, to + ahead, most).map((at) => at - ahead);
}

function chooseRound(from: number, to: number, most: number): number[] {
  const fit = STEPS.findIndex((step) => listTicks(from, to, step, most + 1).length <= most);
  if (fit < 0) return listTicks(from, to, (to - from) / most, most + 1);
  const ticks = listTicks(from, to, STEPS[fit] as number, most);
  const finer = fit > 0 && ticks.length < 2 ? listTicks(from, to, STEPS[fit - 1] as number, most + 2) : [];
  return finer.length === most + 1 ? finer : ticks;
}

/** The multiples of the step in the range, but no more than `limit`. */
function listTicks(from: number, to: number, step: number, limit: number): number[] {
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to && ticks.length < limit; at += step) ticks.push(at);
  return ticks;
}
