import { expect, test } from "vitest";
import { makePassword, parseGrant } from "./roles";

test("a grant is read from its words, whatever its pattern", () => {
  expect(parseGrant("user on dag etl on tag *")).toEqual({ role: "user", kind: "dag", pattern: "etl on tag *" });
  expect(parseGrant("user of all")).toBeUndefined();
});

test("passwords are long, random and of letters that are easy to tell apart", () => {
  const made = new Set(Array.from({ length: 50 }, makePassword));
  expect(made.size).toBe(50);
  for (const one of made) expect(one).toMatch(/^[^lIO01\s]{20}$/);
});
