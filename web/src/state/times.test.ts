import { expect, test } from "vitest";
import { formatDuration, formatMoment, formatTime } from "./times";

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

test.each([
  ["2026-11-28T04:00:00Z", "UTC", "today 04:00"],
  ["2026-11-28T20:00:00Z", "Asia/Kathmandu", "tomorrow 01:45"],
  ["2026-11-27T23:59:59Z", "UTC", "yesterday 23:59"],
  ["2026-11-30T00:00:00Z", "UTC", "30 Nov 00:00"],
  ["2025-12-31T23:00:00Z", "UTC", "31 Dec 2025 23:00"],
  ["no time", "UTC", "no time"],
  [undefined, "UTC", ""],
])("the moment %s in %s", (at, zone, words) => {
  expect(formatMoment(at, zone, Date.parse("2026-11-28T12:00:00Z"))).toBe(words);
});

test("a moment in a sentence has its date", () => {
  expect(formatMoment("2026-11-28T04:00:00Z", "UTC", Date.parse("2026-11-28T12:00:00Z"), true)).toBe("28 Nov 04:00");
});
