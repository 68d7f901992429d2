import { expect, test } from "vitest";
import { checkExtra } from "./checkExtra";

test("nothing, a masked extra and a JSON object are accepted", () => {
  for (const text of ["", "  ", "***", '{"a": 1}']) expect(checkExtra(text)).toBe("");
});

test("everything else is refused with a reason", () => {
  expect(checkExtra("{")).toContain("no JSON");
  for (const text of ["[]", "1", "null", '"a"']) expect(checkExtra(text)).toContain("JSON object");
});
