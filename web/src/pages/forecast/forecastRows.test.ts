import { expect, test } from "vitest";
import type { PredictedRun } from "../../api/baselines";
import { buildRows, chooseBars, findSpan, listBars, mergeBars } from "./forecastRows";

const AT = Date.parse("2026-01-01T06:00:00Z");
const MINUTE = 60_000;
const iso = (minutes: number) => new Date(AT + minutes * MINUTE).toISOString();
const run = (dagId: string, start: number, end: number | null, more: Partial<PredictedRun> = {}): PredictedRun => ({
  dag_id: dagId,
  run_id: `r${start}`,
  run_type: "scheduled",
  run_after: iso(start),
  start_p50: iso(start),
  end_p50: end === null ? null : iso(end),
  end_p90: end === null ? null : iso(end + 5),
  failed_share: 0,
  ...more,
});
const NONE = new Set<string>();

test("DAGs are in the order of their first start, each with its runs in the order of theirs", () => {
  const bars = listBars([run("b", 30, 40), run("a", 20, 60), run("b", 10, 15)], AT);
  expect(buildRows(bars, NONE).map(({ key }) => key)).toEqual(["b", "b r10", "b r30", "a", "a r20"]);
});

test("a DAG with many runs is folded until it is opened", () => {
  const bars = listBars(
    Array.from({ length: 20 }, (_, at) => run("many", at, at + 1)),
    AT,
  );
  expect(buildRows(bars, NONE)).toHaveLength(1);
  expect(buildRows(bars, new Set(["many"]))).toHaveLength(21);
});

test("a run that runs begins at its real start, and one of long ago does not press the rest together", () => {
  const bars = listBars([run("a", -10, 20), run("b", 5, 60)], AT);
  expect(bars.map(({ kind }) => kind)).toEqual(["running", "predicted"]);
  expect(findSpan(bars, AT, AT + 180 * MINUTE, undefined)).toEqual({ from: AT - 10 * MINUTE, to: AT + 65 * MINUTE });
  const old = listBars([run("a", -10_000, 20)], AT);
  expect(findSpan(old, AT, AT + 180 * MINUTE, 1)).toEqual({ from: AT - 12 * MINUTE, to: AT + 60 * MINUTE });
});

test("only runs in the span, of DAGs with the words, are shown; one without an end is", () => {
  const bars = listBars([run("orders", 0, 10), run("report", 5, null), run("orders", 90, 95)], AT);
  const span = { from: AT, to: AT + 60 * MINUTE };
  expect(chooseBars(bars, span, undefined).map((bar) => bar.run.run_id)).toEqual(["r0", "r5"]);
  expect(chooseBars(bars, span, "ORD").map((bar) => bar.run.run_id)).toEqual(["r0"]);
});

test("bars of a DAG that lie close together are one piece", () => {
  const bars = listBars(
    Array.from({ length: 1_440 }, (_, at) => run("minutely", at, at + 1)),
    AT,
  );
  expect(mergeBars(bars, { from: AT, to: AT + 1_440 * MINUTE })).toHaveLength(1);
});

test("a run that mostly fails is shown as failed", () => {
  expect(listBars([run("a", 5, 6, { failed_share: 0.9 })], AT)[0]?.kind).toBe("failed");
});
