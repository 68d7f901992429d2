import { expect, test } from "vitest";
import { findLines, readLines } from "./logLines";

const log = { content: [{ timestamp: "2026-01-01T00:00:00Z", event: "one\ntwo", level: "info" }, "three"], continuation_token: null };

test("a message with several lines is several lines", () => {
  expect(readLines(log as never).map((line) => [line.number, line.text])).toEqual([[1, "one"], [2, "two"], [3, "three"]]);
});

test("a search keeps the numbers of the lines", () => {
  expect(findLines(readLines(log as never), "T").map((line) => line.number)).toEqual([2, 3]);
});
