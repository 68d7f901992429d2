import { expect, test } from "vitest";
import type { BackfillPreview } from "../../../api/shapes";
import { describePreview, doesSomething } from "./previewWords";

const preview = (counts: Record<string, number>, states: (string | null)[], hasMore = false) =>
  ({
    counts,
    slots: states.map((state) => ({ effect: state === null ? "create" : "leave", state })),
    has_more: hasMore,
  }) as unknown as BackfillPreview;

test("a preview says how many run and what happens to the others", () => {
  const found = preview({ create: 2, leave: 3, "run again": 1 }, [null, null, "success", "success", "running"]);
  expect(describePreview(found)).toEqual([
    "2 will run",
    "1 will run again",
    "2 have succeeded already and stay",
    "1 stays as it is",
  ]);
  expect(doesSomething(found)).toBe(true);
});

test("a long range tells of the slots that are not listed only that they stay", () => {
  const found = preview({ create: 0, leave: 900, "run again": 0 }, ["success", "failed"]);
  expect(describePreview(found)).toEqual(["900 have a run already and stay"]);
  expect(doesSomething(found)).toBe(false);
});
