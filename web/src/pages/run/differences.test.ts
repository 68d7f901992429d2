import { expect, test } from "vitest";
import { isNotable } from "./differences";

test("a duration is told when it changed by much and by a good part", () => {
  expect([isNotable(10, 20), isNotable(100, 40)]).toEqual([true, true]);
  expect([isNotable(0.1, 0.9), isNotable(1000, 1100), isNotable(null, 20), isNotable(20, null)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
