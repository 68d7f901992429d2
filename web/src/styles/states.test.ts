/** Each state of a task instance has its colours: of its word, of a cell or a bar, and of a node. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TASK_STATES } from "../api/overviews";

const css = readFileSync(new URL("./states.css", import.meta.url), "utf8");
const selectors = css.replace(/\{[^{}]*\}/g, "\n");

test.each(TASK_STATES)("%s", (state) => {
  const ends = String.raw`(?![\w-])`;
  expect(selectors).toMatch(new RegExp(`^\\.state-${state}${ends}`, "m"));
  expect(selectors).toMatch(new RegExp(`\\.solid(\\.|:is\\([^)]*\\.)state-${state}${ends}`));
  expect(selectors).toMatch(new RegExp(`^\\.solid-${state}${ends}`, "m"));
});
