import { expect, test } from "vitest";
import { diffLines, foldSame } from "./lineDiff";

const apply = (before: string[], after: string[]) => {
  const lines = diffLines(before, after);
  expect(lines.filter((line) => line.kind !== "added").map((line) => line.text)).toEqual(before);
  expect(lines.filter((line) => line.kind !== "removed").map((line) => line.text)).toEqual(after);
  return lines;
};

/** The longest common part, by the plain table. */
function countCommon(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      (table[i] as number[])[j] =
        a[i - 1] === b[j - 1]
          ? (table[i - 1]?.[j - 1] ?? 0) + 1
          : Math.max(table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0);
    }
  }
  return table[a.length]?.[b.length] ?? 0;
}

test("a difference leads from one text to the other with as few changed lines as can be", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 300; round += 1) {
    const texts = [0, 1].map(() => Array.from({ length: random(12) }, () => "abcd"[random(4)] as string)) as [
      string[],
      string[],
    ];
    const lines = apply(...texts);
    expect(lines.filter((line) => line.kind === "same").length).toBe(countCommon(...texts));
  }
});

test("lines have their numbers in both texts", () => {
  expect(diffLines(["a", "b", "c"], ["a", "x", "c"])).toEqual([
    { kind: "same", text: "a", before: 1, after: 1 },
    { kind: "removed", text: "b", before: 2 },
    { kind: "added", text: "x", after: 2 },
    { kind: "same", text: "c", before: 3, after: 3 },
  ]);
});

test("two long texts without a common line end in time", () => {
  const lines = (letter: string) => Array.from({ length: 20_000 }, (_, at) => `${letter}${at}`);
  expect(apply(lines("a"), lines("b")).length).toBe(40_000);
});

test("unchanged lines far from a change are folded", () => {
  const before = Array.from({ length: 20 }, (_, at) => String(at));
  const folded = foldSame(
    diffLines(
      before,
      before.map((line) => (line === "10" ? "ten" : line)),
    ),
    2,
  );
  expect(folded.map((one) => (typeof one === "number" ? one : one.text))).toEqual([
    8,
    "8",
    "9",
    "10",
    "ten",
    "11",
    "12",
    7,
  ]);
});
