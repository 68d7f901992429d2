import { expect, test } from "vitest";
import { compareUrgency, formatShare } from "./baselineLevels";

test("the most urgent baseline is the first, one without a prediction the last", () => {
  const list = [
    { name: "later", level: "at_risk" as const, due_at: "2026-01-02T00:00:00Z" },
    { name: "none", level: null, due_at: null },
    { name: "soon", level: "at_risk" as const, due_at: "2026-01-01T00:00:00Z" },
    { name: "met", level: "met" as const, due_at: "2026-01-01T00:00:00Z" },
    { name: "broken", level: "broken" as const, due_at: "2026-01-03T00:00:00Z" },
  ];
  expect(list.sort(compareUrgency).map(({ name }) => name)).toEqual(["broken", "soon", "later", "met", "none"]);
});

test("a share is none or all only when it is", () => {
  expect([0, 0.001, 0.344, 0.999, 1].map(formatShare)).toEqual(["0%", "< 1%", "34%", "> 99%", "100%"]);
});
