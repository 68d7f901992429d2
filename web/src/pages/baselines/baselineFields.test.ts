import { expect, test } from "vitest";
import type { BaselineDetails } from "../../api/baselines";
import { buildBody, emptyFields, readBaseline } from "./baselineFields";

test("what a form shows of a baseline is sent back as it was", () => {
  const baseline = {
    name: "morning",
    of: ["report"],
    by: "01:30",
    days: 1,
    timezone: "Asia/Shanghai",
    margin: 900,
    at_risk: 0.07,
    weekdays: [0, 4],
    calendar: "work",
    owner: "ann",
    to: ["ops"],
    priority: [100, 1000],
  } as unknown as BaselineDetails;
  const { name, ...sent } = baseline as unknown as Record<string, unknown>;
  expect(buildBody(readBaseline(baseline))).toEqual(sent);
  expect(name).toBe("morning");
});

test("all days are sent as no choice of days", () => {
  expect(buildBody({ ...emptyFields("UTC"), weekdays: [0, 1, 2, 3, 4, 5, 6] }).weekdays).toEqual([]);
});
