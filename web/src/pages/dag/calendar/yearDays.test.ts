import { expect, test } from "vitest";
import {
  addMonths,
  buildWeeks,
  type CalendarDay,
  findFirstOfReasons,
  findOutside,
  kindOf,
  listMonths,
  listStates,
  moveDay,
  paintDay,
} from "./yearDays";

function year(number: number): CalendarDay[] {
  const first = Date.UTC(number, 0, 1);
  const count = (Date.UTC(number + 1, 0, 1) - first) / 86_400_000;
  return Array.from({ length: count }, (_, at) => ({
    day: new Date(first + at * 86_400_000).toISOString().slice(0, 10),
    runs: {},
    slots: 1,
    reason: null,
  }));
}

test("each day of a year stands once, under its weekday", () => {
  for (const number of [2024, 2026]) {
    const weeks = buildWeeks(year(number));
    const shown = weeks
      .flatMap((week) => week.map((day, weekday) => ({ day, weekday })))
      .filter((one) => one.day !== null);
    expect(shown.map((one) => one.day?.day)).toEqual(year(number).map((day) => day.day));
    expect(shown.every((one) => (new Date(`${one.day?.day}T00:00:00Z`).getUTCDay() + 6) % 7 === one.weekday)).toBe(
      true,
    );
    expect(weeks.every((week) => week.length === 7)).toBe(true);
    expect(weeks.length).toBe(53);
  }
});

test("each month stands above the week in which it begins, up to the next one", () => {
  const months = listMonths(buildWeeks(year(2026)));
  expect(months.length).toBe(12);
  expect(months[0]).toEqual({ month: "2026-01", from: 0, count: 4 });
  expect(months[1]).toEqual({ month: "2026-02", from: 4, count: 4 });
  expect(months.reduce((sum, month) => sum + month.count, 0)).toBe(53);
  expect(addMonths("2026-12", 1)).toBe("2027-01");
  expect(addMonths("2026-01", -1)).toBe("2025-12");
});

const DAY: CalendarDay = { day: "2026-03-05", runs: {}, slots: 1, reason: null };

test.each([
  [{ ...DAY, runs: { success: 1 } }, "2026-04-01", "runs"],
  [DAY, "2026-03-05", "planned"],
  [DAY, "2026-03-06", "none"],
  [{ ...DAY, slots: null }, "2026-03-01", "unknown"],
  [{ ...DAY, slots: 0, reason: 0 }, "2026-03-01", "none"],
] as [CalendarDay, string, string][])("a day has its kind", (day, today, kind) => {
  expect(kindOf(day, today)).toBe(kind);
});

test("one failure of a thousand runs is seen", () => {
  const day = { ...DAY, runs: { success: 999, failed: 1 } };
  expect(listStates(day)[0]).toEqual(["failed", 1]);
  expect(paintDay(day, 1_000)).toMatch(/^linear-gradient\(to top, var\(--failed-solid\) 0.0% 16\.\d%/);
});

test("arrows move by a day and a week, and stop at the ends", () => {
  const days = year(2026);
  expect(moveDay(days, "2026-01-31", "ArrowDown")).toBe("2026-02-01");
  expect(moveDay(days, "2026-01-31", "ArrowLeft")).toBe("2026-01-24");
  expect(moveDay(days, "2026-12-31", "ArrowRight")).toBeUndefined();
  expect(moveDay(days, "2026-12-31", "x")).toBeUndefined();
});

test("days before the start and after the end are outside of the schedule, a single day off is not", () => {
  const days = year(2026).map((day, at) => ({ ...day, reason: at < 40 || at === 200 ? 0 : at > 350 ? 1 : null }));
  expect(findOutside(days).size).toBe(40 + 14);
  expect(findOutside(days).has(days[200]?.day ?? "")).toBe(false);
  expect(findOutside(year(2026)).size).toBe(0);
});

test("a reason is said on its first day, and not on a day with runs", () => {
  const days = year(2026)
    .slice(0, 5)
    .map((day, at): CalendarDay => ({
      ...day,
      reason: [0, 0, 1, 0, 1][at] ?? null,
      runs: at > 0 ? {} : { success: 1 },
    }));
  expect(findFirstOfReasons(days)).toEqual(["2026-01-02", "2026-01-03"]);
});
