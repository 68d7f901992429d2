import { expect, test } from "vitest";
import { readVariables, writeVariables } from "./variableFile";

test("a file has plain values, values that are no text, and values with a description", () => {
  const found = readVariables('{"a": "1", "b": {"c": 2}, "d": {"value": 3, "description": "three"}}').variables;
  expect(found).toEqual([
    { key: "a", value: "1", description: null },
    { key: "b", value: '{\n  "c": 2\n}', description: null },
    { key: "d", value: "3", description: "three" },
  ]);
});

test("a file that is no JSON object is refused with a reason", () => {
  expect(readVariables("{").problem).toContain("no JSON");
  for (const text of ["[]", "1", "null"]) expect(readVariables(text).problem).toContain("JSON object");
});

test("what is exported can be imported, and masked values are left out", () => {
  const rows = [
    { key: "a", value: "1", description: null },
    { key: "d", value: "3", description: "three" },
    { key: "password", value: "***", description: null },
  ];
  const { text, left } = writeVariables(rows);
  expect(left).toBe(1);
  expect(readVariables(text).variables).toEqual(rows.slice(0, 2));
});
