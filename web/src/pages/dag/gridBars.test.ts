import { expect, test } from "vitest";
import type { Grid } from "../../api/shapes";
import { findCap, listLengths, listVersionChanges } from "./gridBars";

const run = (version: number | null, start: string | null = null, end: string | null = null): Grid["runs"][number] => ({
  run_id: "one",
  run_type: "scheduled",
  state: "success",
  run_after: "2026-11-28T00:00:00Z",
  start_date: start,
  end_date: end,
  version,
});

test("one run that took much longer than all others does not flatten them", () => {
  const usual = Array.from({ length: 24 }, (_, at) => 60_000 + at);
  expect(findCap([...usual, 3_600_000])).toBe(60_023);
  expect(findCap([...usual, 70_000])).toBe(70_000);
  expect(findCap([0, 0])).toBe(0);
});

test("a run has its length until now while it goes on, and none before it starts", () => {
  const now = Date.parse("2026-11-28T00:01:00Z");
  expect(
    listLengths([run(1), run(1, "2026-11-28T00:00:30Z"), run(1, "2026-11-28T00:00:00Z", "2026-11-28T00:00:20Z")], now),
  ).toEqual([0, 30_000, 20_000]);
});

test("the version changes between two runs that have one", () => {
  expect(listVersionChanges([run(1), run(1), run(2), run(null), run(3), run(4)])).toEqual([2, 5]);
});
