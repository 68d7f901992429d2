import { expect, test } from "vitest";
import { groupByKind, sortByKind } from "./groups";

test("entries of a kind stand together, and their places are those of the list that the arrows go through", () => {
  const sorted = sortByKind([
    { kind: "Page", key: "1" },
    { kind: "DAG", key: "2" },
    { kind: "Page", key: "3" },
  ]);
  expect(sorted.map((one) => one.key)).toEqual(["1", "3", "2"]);
  expect(groupByKind(sorted).map(([kind, group]) => [kind, group.map((one) => one.at)])).toEqual([
    ["Page", [0, 1]],
    ["DAG", [2]],
  ]);
});
