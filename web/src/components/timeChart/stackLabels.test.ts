import { expect, test } from "vitest";
import { stackLabels } from "./stackLabels";

const span = { from: 0, to: 1000 };
const mark = (at: number, label: string) => ({ at, label, tone: "due" as const });

test("labels that would cover each other stand in lines below each other", () => {
  const lanes = stackLabels(span, 1000, [mark(0, "morning"), mark(20, "warehouse"), mark(500, "evening"), mark(1, "")]);
  expect(lanes.map((lane) => lane.map(({ label }) => label))).toEqual([["morning", "evening"], ["warehouse"]]);
});

test("a label at the end stands before its line, and there is a most of lines", () => {
  expect(stackLabels(span, 1000, [mark(880, "before"), mark(990, "last")])).toHaveLength(1);
  expect(
    stackLabels(
      span,
      1000,
      Array.from({ length: 20 }, (_, at) => mark(at, "all at once")),
    ),
  ).toHaveLength(4);
});
