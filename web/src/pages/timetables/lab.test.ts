import { expect, test } from "vitest";
import type { DayCounts, Difference } from "../../api/across";
import { buildSchedule, readFields, readLab, writeFields } from "./labView";
import { findYear, formatChange, groupMonths, listYearDays, rankSlots } from "./yearDays";

const COUNTS: DayCounts = {
  summary: { code: "text", arguments: {}, text: "s", spans: [] },
  description: null,
  timezone: "Europe/Berlin",
  known_until: "2026-04-02T00:00:00Z",
  stop_reason: null,
  days: [{ day: "2026-03-28", slots: 3, first: "2026-03-28T01:00:00Z", last: "2026-03-28T03:00:00Z" }],
  skipped: [{ day: "2026-03-31", reason: "holiday" }],
  clock_changes: [{ at: "2026-03-29T01:00:00Z", change: "+01:00" }],
};

test("each day has its slots, why it has none and the change of the clocks", () => {
  const days = listYearDays(COUNTS, undefined, "2026-03-27", "2026-04-02");
  expect(days.map((one) => [one.day.slice(8), one.slots, one.skipped, one.clockChange])).toEqual([
    ["27", 0, undefined, undefined],
    ["28", 3, undefined, undefined],
    ["29", 0, undefined, "+01:00"],
    ["30", 0, undefined, undefined],
    ["31", 0, "holiday", undefined],
    ["01", 0, undefined, undefined],
  ]);
});

test("days behind the end of the count are not known", () => {
  const days = listYearDays(
    { ...COUNTS, stop_reason: "late", known_until: "2026-03-28T22:00:00Z" },
    undefined,
    "2026-03-27",
    "2026-03-31",
  );
  expect(days.map((one) => one.isKnown)).toEqual([true, true, false, false]);
});

test("a comparison marks the local days of what it adds, removes and moves", () => {
  const slot = (run_after: string) => ({
    run_id: run_after,
    run_after,
    logical_date: null,
    data_interval_start: null,
    data_interval_end: null,
    local: run_after,
  });
  const difference: Difference = {
    summary: { code: "text", arguments: {}, text: "s", spans: [] },
    timezone: "Europe/Berlin",
    same: 0,
    gained: [slot("2026-03-27T23:30:00Z")],
    lost: [slot("2026-03-29T10:00:00Z")],
    redefined: [],
    stop_reasons: [],
    moved: [{ before: slot("2026-03-29T11:00:00Z"), after: slot("2026-03-29T12:00:00Z"), by_seconds: 3600 }],
    known_until: "2026-04-01T00:00:00Z",
  };
  const days = listYearDays(COUNTS, difference, "2026-03-27", "2026-03-30");
  expect(days.map((one) => one.change && formatChange(one.change))).toEqual([undefined, "+1", "±"]);
});

test("months begin below their weekday", () => {
  expect(
    groupMonths(listYearDays(COUNTS, undefined, "2026-03-01", "2026-05-01")).map((one) => [
      one.month,
      one.blanks,
      one.days.length,
    ]),
  ).toEqual([
    ["2026-03", 6, 31],
    ["2026-04", 2, 30],
  ]);
});

test("the address says both schedules and nothing that is not set", () => {
  const view = readLab({
    cron: "0 6 * * *",
    kind2: "calendar",
    calendar2: "de",
    at2: "07:00",
    nonsense: 1,
    from: "2026-99-99",
  });
  expect(readFields(view, "2")).toMatchObject({ kind: "calendar", calendar: "de", at: "07:00" });
  expect(Object.entries(writeFields(readFields(view, "2"), "2")).filter(([, value]) => value !== undefined)).toEqual([
    ["kind2", "calendar"],
    ["calendar2", "de"],
    ["at2", "07:00"],
  ]);
  expect(view.from).toBeUndefined();
  expect(readLab({ data: { hours: [2] } }).data).toBe('{"hours":[2]}');
});

test("a schedule becomes the body of a request, or a fault", () => {
  expect(buildSchedule({ kind: "cron", cron: "@daily", holiday: "next" }).schedule).toEqual({
    cron: "@daily",
    timezone: undefined,
    calendar: undefined,
    on_holiday: undefined,
  });
  expect(buildSchedule({ kind: "timetable", path: "Daily", data: '{"at"' }).fault).toBeDefined();
  expect(buildSchedule({ kind: "timetable", path: "Daily", data: "{}", zone: "UTC" }).schedule).toEqual({
    timetable: { path: "Daily", data: { timezone: "UTC" } },
    timezone: "UTC",
  });
  expect(buildSchedule({ kind: "cron" }).isEmpty).toBe(true);
});

test("the year begins with this month, also on a leap day", () => {
  expect(findYear(undefined, new Date("2026-11-24T00:00:00Z"))).toEqual({ from: "2026-11-01", to: "2027-11-01" });
  expect(findYear("2028-02-29", new Date())).toEqual({ from: "2028-02-29", to: "2029-03-01" });
  expect([0, 1, 4, 24, 1440].map(rankSlots)).toEqual([0, 1, 2, 3, 4]);
});
