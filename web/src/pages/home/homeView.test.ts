import { expect, test } from "vitest";
import { findSince, minutesPastHour, readHomeSearch } from "./homeView";

const NOW = Date.parse("2026-03-02T10:20:30Z");

test("the window of failures is 24 hours, 7 days, or since the visit before", () => {
  expect(findSince(undefined, NOW, undefined)).toBe("2026-03-01T10:20:00.000Z");
  expect(findSince("7d", NOW, undefined)).toBe("2026-02-23T10:20:00.000Z");
  expect(findSince("visit", NOW, Date.parse("2026-03-02T08:00:59Z"))).toBe("2026-03-02T08:00:00.000Z");
});

test("at the first visit the window since the visit before is 24 hours", () => {
  expect(findSince("visit", NOW, undefined)).toBe(findSince(undefined, NOW, undefined));
});

test("what is no view is left out of the address", () => {
  expect(readHomeSearch({ window: "1y", group: "owner", within: "tag", seen: "no" })).toEqual({ group: "owner" });
  expect(readHomeSearch({ within: "tag", value: 7, group: "dag" })).toEqual({
    within: "tag",
    value: "7",
    group: "dag",
  });
});

test("the hours of the time line begin with those of the zone", () => {
  const hour = 3_600_000;
  expect(minutesPastHour(5.75 * hour)).toBe(45);
  expect(minutesPastHour(-3.5 * hour)).toBe(30);
  expect(minutesPastHour(-9 * hour)).toBe(0);
  expect(minutesPastHour(-0.75 * hour)).toBe(15);
});
