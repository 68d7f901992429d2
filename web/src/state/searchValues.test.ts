import { expect, test } from "vitest";
import { amount, count, flag, oneOf, pageNumber, readerOf, someOf, text, texts } from "./searchValues";

test("an address has what its readers accept, and nothing else", () => {
  const read = readerOf<{ find?: string; page?: number }>({ find: text, page: pageNumber });
  expect(read({ find: 7, page: "3", other: "x" })).toEqual({ find: "7", page: 3 });
  expect(Object.keys(read({ find: "", page: 1 }))).toEqual([]);
});

test("a single value of an address needs no brackets, and an empty one is none", () => {
  expect(texts("a")).toEqual(["a"]);
  expect(texts(7)).toEqual(["7"]);
  expect(texts(["a", "a", ""])).toEqual(["a"]);
  expect(texts("")).toBeUndefined();
});

test("of known values those that are given are taken", () => {
  expect(someOf(["a", "b"])(["b", "c"])).toEqual(["b"]);
  expect(someOf(["a", "b"])("c")).toBeUndefined();
  expect(oneOf(["a", "b"])("b")).toBe("b");
});

test("a number that is none is left out", () => {
  expect([count("3"), count("3.5"), count(""), count(null), count(undefined), count(-1)]).toEqual([
    3,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect([amount("3.5"), amount(0), amount("")]).toEqual([3.5, 0, undefined]);
});

test("a flag is yes or no, as a word too", () => {
  expect([flag(true), flag("false"), flag(""), flag("yes")]).toEqual([true, false, undefined, undefined]);
});
