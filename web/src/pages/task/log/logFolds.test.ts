import { expect, test } from "vitest";
import { chooseFolded, chooseLines, foldLines, listGroupsOf, showTail } from "./logFolds";

const GROUPS = [
  { first: 1, last: 6, title: "outer" },
  { first: 3, last: 5, title: "inner" },
  { first: 8, last: null, title: "open" },
];

function shown(folded: number[]): number[] {
  const view = foldLines(12, GROUPS, new Set(folded));
  return Array.from({ length: view.count }, (_, place) => view.lineAt(place));
}

test("a folded group leaves its first line, and groups in it go with it", () => {
  expect(shown([])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(shown([3])).toEqual([0, 1, 2, 3, 6, 7, 8, 9, 10, 11]);
  expect(shown([1, 3])).toEqual([0, 1, 7, 8, 9, 10, 11]);
  expect(shown([1, 8])).toEqual([0, 1, 7, 8]);
});

test("the place of a line is where it is shown, of a hidden one that of its group", () => {
  const view = foldLines(12, GROUPS, new Set([1, 8]));
  expect([0, 1, 4, 6, 7, 8, 11].map(view.placeOf)).toEqual([0, 1, 1, 1, 2, 3, 3]);
  for (let place = 0; place < view.count; place += 1) expect(view.placeOf(view.lineAt(place))).toBe(place);
});

test("the last lines of a log that is not counted have negative numbers", () => {
  const view = showTail(3);
  expect([view.count, view.lineAt(0), view.lineAt(2), view.placeOf(-1), view.placeOf(-9)]).toEqual([3, -3, -1, 2, 0]);
});

test("chosen lines have places in their order", () => {
  const view = chooseLines([2, 5, 9]);
  expect([view.count, view.lineAt(1), view.placeOf(5), view.placeOf(7), view.placeOf(0)]).toEqual([3, 5, 1, 1, 0]);
});

test("groups that have ended are folded, but for those around the line of the address and those that the user opens", () => {
  const chosen = (folds: [number, boolean][], opened?: number) => [...chooseFolded(GROUPS, new Map(folds), opened)];
  expect(chosen([])).toEqual([1, 3]);
  expect(chosen([], 4)).toEqual([]);
  expect(chosen([], 6)).toEqual([3]);
  expect(
    chosen([
      [1, false],
      [8, true],
    ]),
  ).toEqual([3, 8]);
});

test("the groups around a line are those that hide it", () => {
  expect([listGroupsOf(GROUPS, 4), listGroupsOf(GROUPS, 1), listGroupsOf(GROUPS, 11)]).toEqual([[1, 3], [], [8]]);
});
