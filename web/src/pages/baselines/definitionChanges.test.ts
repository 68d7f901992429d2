import { expect, test } from "vitest";
import { listChanges } from "./definitionChanges";

const word = (_: string, value: unknown) => (value === undefined ? undefined : String(value));

test("only what differs is a change", () => {
  const before = { of: ["a"], by: "07:00", owner: "ann" };
  const after = { of: ["a", "b.c"], by: "07:00", margin_s: 60 };
  expect(listChanges(before, after, word)).toEqual([
    { field: "of", before: "a", after: "a,b.c" },
    { field: "owner", before: "ann", after: undefined },
    { field: "margin_s", before: undefined, after: "60" },
  ]);
  expect(listChanges(undefined, { by: "07:00" }, word)).toEqual([{ field: "by", before: undefined, after: "07:00" }]);
});
