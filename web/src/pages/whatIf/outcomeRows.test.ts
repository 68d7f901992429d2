import { expect, test } from "vitest";
import type { ComparedRun, SimulationAnswer } from "../../api/simulations";
import { buildRows, countChanges, findGreatestShift, findSpan, listBars, OPEN_MAX } from "./outcomeRows";
import { countChange } from "./outcomeWords";
import { findWaiting, stepPath, stepsOf } from "./poolSteps";

const AT = Date.parse("2026-01-01T06:00:00Z");
const MINUTE = 60_000;
const iso = (minutes: number) => new Date(AT + minutes * MINUTE).toISOString();
const times = (start: number, end: number | null) => ({
  run_after: iso(start),
  start_p50: iso(start),
  end_p50: end === null ? null : iso(end),
  end_p90: null,
  failed_share: 0,
});
const run = (dagId: string, start: number, before: number | null, after: number | null, change = ""): ComparedRun => ({
  dag_id: dagId,
  run_id: `r${start}`,
  run_type: "scheduled",
  change,
  before: times(start, before),
  after: times(start, after),
  shift: before === null || after === null ? null : (after - before) * 60,
  reasons: [],
});
const NONE = new Set<string>();

test("DAGs with changed runs are first, each with its runs in the order of their starts", () => {
  const bars = listBars([run("same", 0, 5, 5), run("late", 30, 40, 50, "ends later"), run("late", 10, 20, 20)]);
  expect(buildRows(bars, NONE).map(({ key }) => key)).toEqual([
    "late",
    "late scheduled r10",
    "late scheduled r30",
    "same",
    "same scheduled r0",
  ]);
});

test("a DAG with many runs is folded until it is opened", () => {
  const bars = listBars(Array.from({ length: OPEN_MAX + 1 }, (_, at) => run("many", at, at + 1, at + 1)));
  expect(buildRows(bars, NONE)).toHaveLength(1);
  expect(buildRows(bars, new Set(["many"]))).toHaveLength(OPEN_MAX + 2);
});

test("a bar has the tone of what happens to its run; one that fails says so, unless it did before", () => {
  const failing = run("a", 0, 5, 5, "other state");
  (failing.after as { failed_share: number }).failed_share = 1;
  const gone = { ...run("a", 0, 5, null, "vanishes"), after: null };
  const bars = listBars([failing, gone, run("a", 1, 5, 4, "ends earlier"), run("a", 2, 5, null, "does not end")]);
  expect(bars.map(({ tone }) => tone)).toEqual(["failed", "gone", "earlier", "later"]);
  expect(bars[1]?.after).toBeNull();
  expect(bars[3]?.after?.to).toBe(Infinity);
});

test("the chart begins with the simulation and ends with the last run, two hours behind the horizon at most", () => {
  const answer = { since: iso(0), until: iso(180) } as SimulationAnswer;
  expect(findSpan(listBars([run("a", 10, 60, 90)]), answer)).toEqual({ from: AT, to: AT + 90 * MINUTE });
  expect(findSpan(listBars([run("a", 10, 60, 1_000)]), answer).to).toBe(AT + 300 * MINUTE);
  expect(findSpan(listBars([run("a", 10, null, null)]), answer).to).toBe(AT + 30 * MINUTE);
});

test("the sentence counts what happens and names the greatest shift to later", () => {
  const runs = [
    run("a", 0, 10, 20, "ends later"),
    run("b", 0, 10, 40, "ends later"),
    run("c", 0, 50, 10, "ends earlier"),
    run("d", 0, 10, 10),
  ];
  expect(countChanges(runs).map(([change, count]) => countChange(change, count))).toEqual([
    "2 runs end later",
    "1 run ends earlier",
  ]);
  expect(findGreatestShift(runs)?.dag_id).toBe("b");
  expect(findGreatestShift(runs.slice(2))?.dag_id).toBe("c");
  expect(findGreatestShift(runs.slice(3))).toBeUndefined();
});

test("the load of a pool is an outline with steps, at the bottom where nothing is taken", () => {
  const span = { from: AT, to: AT + 100 * MINUTE };
  const load = [
    { start: iso(10), end: iso(20), taken: 1, waiting: 0 },
    { start: iso(20), end: iso(40), taken: 2, waiting: 3 },
    { start: iso(200), end: iso(210), taken: 9, waiting: 9 },
  ];
  const steps = stepsOf(load, span);
  expect(steps).toHaveLength(2);
  const path = stepPath(steps, { span, most: 4, width: 100, height: 40 }, ({ taken }) => taken);
  expect(path).toBe("M0 40V40H10.0V30.0H20.0V20.0H40.0V40H100");
  expect(findWaiting(load.slice(0, 2))).toBe(3);
});
