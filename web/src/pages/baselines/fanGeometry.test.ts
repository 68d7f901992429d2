import { expect, test } from "vitest";
import type { Prediction } from "../../api/baselines";
import { drawFan } from "./fanGeometry";

const DUE = Date.parse("2026-01-01T07:00:00Z");
const BOX = { left: 0, right: 100, top: 0, bottom: 100 };
const predict = (
  at: string,
  p50: string | null,
  p90: string | null,
  level: Prediction["level"] = "safe",
): Prediction => ({
  at: `2026-01-01T${at}:00Z`,
  level,
  breach: 0,
  end_p50: p50 && `2026-01-01T${p50}:00Z`,
  end_p90: p90 && `2026-01-01T${p90}:00Z`,
});
const until = Date.parse("2026-01-01T06:00:00Z");

test("later predictions lie to the right, later ends above, and the due time between them", () => {
  const fan = drawFan([predict("02:00", "06:00", "07:30"), predict("04:00", "06:30", "07:10")], DUE, until, BOX);
  const [first, second] = fan.points;
  expect([first?.x, second?.x]).toEqual([0, 50]);
  expect(first!.p50! > second!.p50! && second!.p50! > fan.due && fan.due > second!.p90!).toBe(true);
  expect(fan.bands).toHaveLength(1);
});

test("a prediction without an end interrupts the band, and equal levels are one segment", () => {
  const fan = drawFan(
    [
      predict("02:00", "06:00", "06:30"),
      predict("03:00", "06:10", null),
      predict("04:00", null, null, "certain_breach"),
      predict("05:00", "06:40", "06:50"),
    ],
    DUE,
    until,
    BOX,
  );
  expect([fan.bands.length, fan.lines.length]).toEqual([2, 2]);
  expect(fan.levels.map(({ level, x, width }) => [level, x, width])).toEqual([
    ["safe", 0, 50],
    ["certain_breach", 50, 25],
    ["safe", 75, 25],
  ]);
});

test("one prediction alone has a width", () => {
  const fan = drawFan([predict("02:00", "07:00", "07:00")], DUE, Date.parse("2026-01-01T02:00:00Z"), BOX);
  expect(fan.levels[0]?.width).toBe(100);
  expect(Number.isFinite(fan.points[0]?.p50)).toBe(true);
});
