import { expect, test } from "vitest";
import type { Search } from "../../state/searchValues";
import { addValue, listChips, listNegatableChips, listTextChips, removeChip, turnChip } from "./chipSearch";

const FIELDS = [{ field: "tag", label: "Tag" }] as const;
const FLAGS = [{ field: "paused", label: "Paused" }] as const;

test("a value is added once, and taken from its opposite", () => {
  expect(addValue({ tag: ["a"], tag_not: ["b"] }, "tag", "b")).toEqual({ tag: ["a", "b"], tag_not: undefined });
  expect(addValue({ tag: ["a"] }, "tag", "a")).toEqual({ tag: ["a"], tag_not: undefined });
});

test("a filter that is turned round and back is as it was", () => {
  const [chip] = listChips<Search>({ tag: "a" }, FIELDS, FLAGS);
  const turned = turnChip({ tag: "a" }, chip!);
  expect(turned).toEqual({ tag: undefined, tag_not: ["a"] });
  const [back] = listChips<Search>(turned, FIELDS, FLAGS);
  expect(turnChip(turned, back!)).toEqual({ tag_not: undefined, tag: ["a"] });
});

test("a flag is turned round between yes and no, and taken away", () => {
  const [chip] = listChips<Search>({ paused: true }, FIELDS, FLAGS);
  expect(turnChip({ paused: true }, chip!)).toEqual({ paused: false });
  expect(removeChip({ paused: true }, chip!)).toEqual({ paused: undefined });
});

test("a text to search for is a filter that can only be taken away", () => {
  const [chip, ...others] = listTextChips<Search>({ search: "night", tag: "a" }, [
    { field: "search", label: "Search" },
    { field: "run", label: "Run" },
  ]);
  expect(chip).toEqual({ field: "search", label: "Search", value: "night", isNot: false, isFixed: true });
  expect(others).toEqual([]);
  expect(removeChip({ search: "night" }, chip!)).toEqual({ search: undefined });
});

test("a text with ! before it is a filter that does not hold for it, and turning it round moves the !", () => {
  const search: Record<string, unknown> = { dag: "!sales", run: "night", map: 3 };
  const chips = listNegatableChips(search, [
    { field: "dag", label: "DAG" },
    { field: "run", label: "Run" },
    { field: "map", label: "Map index" },
    { field: "task", label: "Task" },
  ]);
  expect(chips.map((chip) => [chip.field, chip.value, chip.isNot])).toEqual([
    ["dag", "sales", true],
    ["run", "night", false],
    ["map", "3", false],
  ]);
  expect(chips.map((chip) => turnChip(search, chip))).toEqual([{ dag: "sales" }, { run: "!night" }, { map: "!3" }]);
  expect(chips.map((chip) => removeChip(search, chip))).toEqual([
    { dag: undefined },
    { run: undefined },
    { map: undefined },
  ]);
});
