import { expect, test } from "vitest";
import { findShift } from "./usePanZoom";

test("a picture moves as little as brings a part into the frame, and not for one that is larger", () => {
  expect(findShift(0, 100, 50, 400)).toBe(0);
  expect(findShift(0, 500, 50, 400)).toBe(-166);
  expect(findShift(-300, 100, 50, 400)).toBe(-84);
  expect(findShift(-300, 100, 500, 400)).toBe(-300);
});
