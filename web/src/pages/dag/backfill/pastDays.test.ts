import { expect, test } from "vitest";
import { rangeOf } from "./pastDays";

test("a range has whole days of the zone and ends before today", () => {
  expect(rangeOf("2026-03-09", 7, "UTC")).toEqual({ from: "2026-03-02T00:00:00Z", to: "2026-03-08T23:59:59Z" });
  expect(rangeOf("2026-03-09", 7, "Asia/Kathmandu")).toEqual({
    from: "2026-03-01T18:15:00Z",
    to: "2026-03-08T18:14:59Z",
  });
});

test("days are counted by the calendar where the clocks change", () => {
  expect(rangeOf("2026-03-30", 2, "Europe/Berlin")).toEqual({
    from: "2026-03-27T23:00:00Z",
    to: "2026-03-29T21:59:59Z",
  });
});
