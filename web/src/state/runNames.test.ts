import { expect, test } from "vitest";
import { nameRun } from "./runNames";

const NOW = Date.parse("2026-11-28T12:00:00Z");

test.each([
  ["scheduled__2026-11-28T01:15:00+00:00", "UTC", "28 Nov 01:15 · scheduled"],
  ["scheduled__2026-11-28T01:15:00+00:00", "Asia/Kathmandu", "28 Nov 07:00 · scheduled"],
  ["scheduled__2026-11-28T20:00:00+00:00", "Asia/Kathmandu", "29 Nov 01:45 · scheduled"],
  ["manual__2025-03-01T00:00:00.123456+00:00_a1b2", "UTC", "1 Mar 2025 00:00 · manual"],
  ["asset_triggered__2026-11-28T01:15:00Z", "UTC", "28 Nov 01:15 · asset triggered"],
  ["scheduled__2026-11-28T01:15:00+00:00__eu", "UTC", "28 Nov 01:15 · scheduled · eu"],
  ["first", "UTC", "first"],
  ["manual__first", "UTC", "manual__first"],
])("the run %s in %s", (id, zone, name) => {
  expect(nameRun(id, zone, NOW)).toBe(name);
});
