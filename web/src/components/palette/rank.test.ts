import { expect, test } from "vitest";
import { rankEntries, splitMarks, splitVerb } from "./rank";

const entries = ["load_finance", "finance", "my finance report", "refinance"].map((words) => ({ words }));

test("a whole name is before the start of a name, of a part, and an occurrence within", () => {
  expect(rankEntries("finance", entries).map((one) => one.words)).toEqual([
    "finance",
    "load_finance",
    "my finance report",
    "refinance",
  ]);
});

test("every word must occur, in any order", () => {
  expect(rankEntries("report fin", entries).map((one) => one.words)).toEqual(["my finance report"]);
});

test("without a text all entries stay in their order", () => {
  expect(rankEntries("  ", entries)).toEqual(entries);
});

test("characters of patterns are taken as they are", () => {
  expect(rankEntries("a.(b", [{ words: "x a.(b" }, { words: "aXXb" }])).toEqual([{ words: "x a.(b" }]);
});

test("a verb in front is told from a name that begins with it", () => {
  expect(splitVerb("pause night", ["pause", "run"])).toEqual({ verb: "pause", rest: "night" });
  expect(splitVerb("paused", ["pause", "run"])).toEqual({ verb: undefined, rest: "paused" });
});

test("every second piece of a label is a word that was typed", () => {
  expect(splitMarks("load_Orders (a)", "ord (a")).toEqual(["load_", "Ord", "ers ", "(a", ")"]);
  expect(splitMarks("orders", " ")).toEqual(["orders"]);
});
