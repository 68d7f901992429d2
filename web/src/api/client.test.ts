import { expect, test } from "vitest";
import { describeError, formatQuery, part } from "./client";
import { toPattern } from "./queries";

test("a query leaves out what is not set and repeats lists", () => {
  expect(formatQuery({ a: 1, b: undefined, c: ["x", "y z"], d: "" })).toBe("?a=1&c=x&c=y+z");
  expect(formatQuery({})).toBe("");
});

test("an id is one part of a path", () => {
  expect(part("a/b ?#%")).toBe("a%2Fb%20%3F%23%25");
});

test("a search takes the characters of patterns as they are", () => {
  expect(toPattern("50%_a")).toBe("50%_a");
  expect(toPattern("")).toBeUndefined();
});

test("errors are sentences", () => {
  expect(describeError(404, '{"detail": "there is no DAG \'x\'"}')).toBe("there is no DAG 'x'");
  expect(describeError(422, '{"detail": [{"loc": ["body", "conf"], "msg": "no object"}]}')).toBe("conf: no object");
  expect(describeError(502, "<html>")).toBe("The server answered with status 502.");
});
