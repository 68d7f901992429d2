import { expect, test } from "vitest";
import { readParams, writeDefaults } from "./hitlParams";

const PARAMS = {
  n: { value: 3, schema: { type: "integer" } },
  text: { schema: { type: "string" } },
  any: { value: "x" },
};

test("defaults are shown as texts", () => {
  expect(writeDefaults(PARAMS)).toEqual({ n: "3", text: "", any: "x" });
});

test("a value is read as its schema wants it, and an empty one is left to the server", () => {
  expect(readParams(PARAMS, { n: "4", text: "", any: "5" })).toEqual({ values: { n: 4, any: "5" }, problem: "" });
});

test("a value that is no JSON is named", () => {
  expect(readParams(PARAMS, { n: "four" }).problem).toContain("n");
});
