import { expect, test } from "vitest";
import { formatDuration, formatTime } from "./times";

test.each([
  [0.1234, "0.12 s"],
  [0.0071, "7 ms"],
  [0, "0 s"],
  [12.34, "12.3 s"],
  [59.99, "60 s"],
  [60, "1 min"],
  [3_900, "1 h 5 min"],
  [90_000, "1 d 1 h"],
  [3_601, "1 h"],
  [null, ""],
])("a duration of %s seconds in words", (seconds, words) => {
  expect(formatDuration(seconds)).toBe(words);
});

test("a time in UTC, on the day of a clock change", () => {
  expect(formatTime("2026-03-29T01:30:00Z", "UTC")).toBe("2026-03-29 01:30:00");
  expect(formatTime(null, "UTC")).toBe("");
  expect(formatTime("no time", "UTC")).toBe("no time");
});
