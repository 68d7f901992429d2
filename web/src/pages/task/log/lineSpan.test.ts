import { expect, test } from "vitest";
import { formatSpan, parseSpan } from "./lineSpan";

test("a range of lines is read from an address and written to it", () => {
  expect(parseSpan("12")).toEqual({ first: 11, last: 11 });
  expect(parseSpan("12-40")).toEqual({ first: 11, last: 39 });
  for (const wrong of [undefined, "", "0", "x", "5-2", "1-", "1e3"]) expect(parseSpan(wrong), wrong).toBeUndefined();
  expect([
    formatSpan(11, undefined),
    formatSpan(39, { first: 11, last: 11 }),
    formatSpan(2, { first: 11, last: 11 }),
  ]).toEqual([12, "12-40", "3-12"]);
});
