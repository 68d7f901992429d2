import { expect, test } from "vitest";
import { chooseTicks } from "./timeTicks";

const START = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number) => START + 1000 * seconds;

test("an axis has round marks, and few", () => {
  expect(chooseTicks(at(0), at(60), 8).map((tick) => (tick - START) / 1000)).toEqual([0, 10, 20, 30, 40, 50, 60]);
  expect(chooseTicks(at(0), at(86_400 * 400), 8).length).toBeLessThanOrEqual(9);
});

test("the axis of a run of some milliseconds has several marks", () => {
  const count = (ms: number) => chooseTicks(START + 0.4, START + 0.4 + ms, 4).length;
  for (const ms of [3, 8, 20, 42, 72, 99, 150, 300, 900])
    expect([ms, count(ms) >= 2 && count(ms) <= 5]).toEqual([ms, true]);
  expect(chooseTicks(START, START + 72, 4).map((tick) => tick - START)).toEqual([0, 20, 40, 60]);
});

test("marks are round in the zone that is shown", () => {
  const ahead = 345 * 60_000;
  const marks = chooseTicks(START, START + 86_400_000, 8, ahead).map((tick) => new Date(tick + ahead).toISOString());
  expect(marks).toHaveLength(8);
  for (const mark of marks) expect(mark).toMatch(/T(00|03|06|09|12|15|18|21):00:00/);
});
