import { expect, test } from "vitest";
import { addDays, endOfDay, findAhead, formatLocal, parseLocal, startOfDay } from "./zonedTimes";

test.each([
  ["2026-01-01T00:00", "UTC", "2026-01-01T00:00:00Z"],
  ["2026-07-01T12:00:05", "Europe/Berlin", "2026-07-01T10:00:05Z"],
  ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00Z"],
  ["2026-01-01", "Asia/Kathmandu", "2025-12-31T18:15:00Z"],
])("the local time %s in %s is %s", (text, zone, instant) => {
  expect(parseLocal(text, zone)).toBe(instant);
});

test("a local time that the clocks leave out, and a day that does not exist, name no instant", () => {
  expect(parseLocal("2026-03-29T02:30", "Europe/Berlin")).toBeUndefined();
  expect(parseLocal("2026-02-30T00:00", "UTC")).toBeUndefined();
  expect(parseLocal("soon", "UTC")).toBeUndefined();
});

test("an instant is shown in its zone and read back the same", () => {
  expect(formatLocal("2026-07-01T10:00:05Z", "Europe/Berlin")).toBe("2026-07-01T12:00:05");
  expect(formatLocal("soon", "UTC")).toBe("");
});

test("a day starts when the clocks say so", () => {
  expect(startOfDay("2026-03-29", "Europe/Berlin")).toBe("2026-03-28T23:00:00Z");
  expect(startOfDay("2026-03-30", "Europe/Berlin")).toBe("2026-03-29T22:00:00Z");
  expect(startOfDay("2026-03-29", "Asia/Beirut")).toBe("2026-03-28T22:00:00Z");
  expect(endOfDay("2026-03-29", "Europe/Berlin")).toBe("2026-03-29T21:59:59.999Z");
  expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
});

test("a zone is ahead of UTC, and otherwise in summer", () => {
  const ahead = (at: string, zone: string) => findAhead(Date.parse(at), zone) / 60_000;
  expect(ahead("2026-01-05T00:00:00.700Z", "Asia/Kathmandu")).toBe(345);
  expect([ahead("2026-01-05T00:00:00Z", "Europe/Berlin"), ahead("2026-07-05T00:00:00Z", "Europe/Berlin")]).toEqual([
    60, 120,
  ]);
});
