import { expect, test } from "vitest";
import type { DayDependencies, SlotRuns } from "../../api/across";
import { countStates, drawDay, findNeighbours, groupSlots } from "./dayGeometry";
import { buildDay } from "./dayModel";

const START = Date.parse("2026-03-02T00:00:00Z");
const END = START + 86_400_000;
const NOW = Date.parse("2026-03-02T06:30:00Z");
const at = (text: string) => `2026-03-0${text}:00Z`;

const answer = (
  dag_id: string,
  upstream: string,
  runs: [string, string[], string][],
  slots: string[],
): DayDependencies => ({
  dag_id,
  schedule: { code: "text", arguments: {}, text: "s", spans: [] },
  day: "2026-03-02",
  timezone: "UTC",
  start: at("2T00:00"),
  end: at("3T00:00"),
  left_out: 0,
  dependencies: [
    {
      kind: "after",
      could_be: null,
      task_id: null,
      upstream_dag_id: upstream,
      upstream_task_id: null,
      options: [],
      upstream_schedule: { code: "text", arguments: {}, text: "s", spans: [] },
      error: null,
      upstream_slots: slots.map(at),
      runs: runs.map(([run, waits, rule]) => ({
        run_after: at(run),
        waits_for: waits.map(at),
        rule,
        window_start: at("2T00:00"),
        window_end: at("3T00:00"),
      })),
    },
  ],
});
const report = answer(
  "report",
  "load",
  [
    ["2T06:00", ["2T04:00", "2T05:00"], "backward"],
    ["2T02:00", [], "none"],
  ],
  ["2T04:00", "2T05:00", "2T12:00"],
);
const runs: SlotRuns = {
  dags: [
    {
      dag_id: "load",
      paused: true,
      active: true,
      complete: true,
      decided_until: at("2T06:30"),
      runs: [{ slot: at("2T04:00"), run_id: "r4", state: "success" }],
    },
    {
      dag_id: "report",
      paused: false,
      active: true,
      complete: true,
      decided_until: null,
      runs: [{ slot: at("2T07:00"), run_id: "old", state: "failed" }],
    },
  ],
};

test("upstream DAGs stand above the chosen one and those that wait for it below", () => {
  const model = buildDay(
    "report",
    [report, answer("mail", "report", [["2T08:00", ["2T06:00"], "whole_day"]], ["2T06:00"])],
    runs,
    NOW,
  );
  expect(model.lanes.map((one) => [one.dagId, one.role, one.paused])).toEqual([
    ["load", "upstream", true],
    ["report", "chosen", false],
    ["mail", "downstream", false],
  ]);
  expect(model.waits).toHaveLength(3);
});

test("a slot has its run, has passed without one, is due or is to come; a run of an older timetable is shown too", () => {
  const [load, own] = buildDay("report", [report], runs, NOW).lanes;
  expect(load?.slots.map((one) => one.state)).toEqual(["success", "none", "planned"]);
  expect(own?.slots.map((one) => one.runId ?? one.state)).toEqual(["due", "due", "old"]);
});

test("a slot of the day before gets a place of its own on the axis", () => {
  const model = buildDay(
    "report",
    [answer("report", "load", [["2T06:00", ["1T23:00"], "previous"]], [])],
    undefined,
    NOW,
  );
  const drawing = drawDay(model, START, END, 1000);
  expect(drawing.segments.map((one) => one.isDay)).toEqual([false, true]);
  expect(drawing.hidden).toBe(0);
  expect(drawing.links).toHaveLength(1);
  expect((drawing.links[0]?.to.x ?? 999) < (drawing.segments[1]?.x ?? 0)).toBe(true);
});

test("slots of each minute fold to bands with counts, and their lines to one for each pair of bands", () => {
  const minutes = Array.from({ length: 1440 }, (_, minute) => ({ at: START + minute * 60_000, state: "planned" }));
  const groups = groupSlots(minutes, START, 1000 / 86_400_000);
  expect(groups).toHaveLength(24);
  expect(groups.every((one) => one.slots.length === 60)).toBe(true);
  const times = minutes.map((one) => new Date(one.at).toISOString());
  const dense: DayDependencies = {
    ...report,
    dependencies: [
      {
        ...report.dependencies[0]!,
        upstream_slots: times,
        runs: times.map((one) => ({
          ...report.dependencies[0]!.runs[0]!,
          run_after: one,
          waits_for: [one],
          rule: "span",
        })),
      },
    ],
  };
  const drawing = drawDay(buildDay("report", [dense], undefined, NOW), START, END, 1000);
  expect(drawing.marks).toHaveLength(48);
  expect(drawing.links).toHaveLength(24);
  expect(drawing.links[0]?.count).toBe(60);
});

test("sparse slots stay single marks", () => {
  const hours = Array.from({ length: 24 }, (_, hour) => ({ at: START + hour * 3_600_000, state: "planned" }));
  expect(groupSlots(hours, START, 1000 / 86_400_000).every((one) => one.length === 0)).toBe(true);
  expect(groupSlots(hours, START, 200 / 86_400_000).length).toBeLessThan(13);
});

test("what a mark waits for and what waits for it", () => {
  const drawing = drawDay(buildDay("report", [report], runs, NOW), START, END, 1000);
  const six = drawing.marks.find((one) => one.lane === 1 && one.slots[0]?.at === Date.parse(at("2T06:00")));
  expect(findNeighbours(drawing.links, six?.key ?? "").waitsFor.map((one) => one.rule)).toEqual([
    "backward",
    "backward",
  ]);
  const four = drawing.marks.find((one) => one.lane === 0);
  expect(findNeighbours(drawing.links, four?.key ?? "").waitedBy).toHaveLength(1);
});

test("the most urgent state comes first", () => {
  expect(
    countStates(["success", "failed", "success", "planned"].map((state, index) => ({ at: index, state }))),
  ).toEqual([
    ["failed", 1],
    ["planned", 1],
    ["success", 2],
  ]);
});
