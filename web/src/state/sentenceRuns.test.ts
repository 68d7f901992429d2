import { expect, test } from "vitest";
import { findRun } from "./sentenceRuns";

test("the run that has ended, runs or is queued is found, with spaces in its id too", () => {
  expect(findRun("run scheduled__2026-01-01T00:00:00+00:00 ended in state failed at 2026-01-01T00:00:01+00:00")).toBe(
    "scheduled__2026-01-01T00:00:00+00:00",
  );
  expect(findRun("run my first run is running since 2026-01-01")).toBe("my first run");
  expect(findRun("run one is queued")).toBe("one");
});

test("other sentences name no run", () => {
  for (const text of [
    "it has no runs yet",
    "the next run is due at 2026-01-01",
    "runs are made by hand only",
    "run ended in state failed",
  ])
    expect(findRun(text)).toBeUndefined();
});
