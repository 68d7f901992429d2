import { expect, test } from "vitest";
import { isNamed, parseMissing } from "./missing";

test("what the server names as missing is a DAG with all its runs, or one run", () => {
  expect([parseMissing(""), parseMissing("[]"), parseMissing('["a/b", "r"]')]).toEqual([[], [], ["a/b", "r"]]);
  expect([isNamed([], "a"), isNamed(["a"], "a"), isNamed(["a"], "a", "r"), isNamed(["a"], "b")]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect([isNamed(["a", "r"], "a"), isNamed(["a", "r"], "a", "r"), isNamed(["a", "r"], "a", "s")]).toEqual([
    false,
    true,
    false,
  ]);
});
