import { expect, test } from "vitest";
import { listDayLabels, listDayStarts, listLines } from "./gridDays";

const hours = (count: number) =>
  Array.from({ length: count }, (_, hour) => new Date(Date.UTC(2026, 10, 28, 20 + hour)).toISOString());
const days = (count: number) =>
  Array.from({ length: count }, (_, day) => new Date(Date.UTC(2026, 10, 26 + day)).toISOString());

test("runs of each hour have a label and a line for each day, in the zone", () => {
  const instants = hours(30);
  const starts = listDayStarts(instants, "UTC");
  expect(starts).toEqual([0, 4, 28]);
  expect(listDayStarts(instants, "Asia/Kathmandu")).toEqual([0, 23]);
  expect(listDayLabels(instants, starts).map(({ from, count }) => [from, count])).toEqual([
    [0, 4],
    [4, 24],
    [28, 2],
  ]);
  expect(listLines(instants, starts, "UTC")).toEqual([4, 28]);
});

test("runs of each day have a label for each second one, and a line at each Monday", () => {
  const instants = days(9);
  const starts = listDayStarts(instants, "UTC");
  expect(listDayLabels(instants, starts).map(({ from, count }) => [from, count])).toEqual([
    [0, 2],
    [2, 2],
    [4, 2],
    [6, 2],
    [8, 1],
  ]);
  expect(listLines(instants, starts, "UTC")).toEqual([4]);
});
