import { expect, test } from "vitest";
import { describeChange } from "./changeWords";
import { readChanges } from "./scenarioChanges";

test("a change is told in words", () => {
  const texts = [
    "set load=+50%",
    "set load=-20%",
    "set load=20m..40m",
    "set load=30m",
    "pool etl=1",
    "pool etl=-1",
    "freeze old",
    "schedule orders=0 3 * * *",
    "parallelism 4",
  ];
  expect(readChanges(texts).map(describeChange)).toEqual([
    "load takes 50% longer",
    "load takes 20% less",
    "load takes 20m to 40m",
    "load takes 30m",
    "pool etl has 1 slot",
    "pool etl has no limit",
    "DAG old does not run",
    "DAG orders runs at 0 3 * * *",
    "4 tasks run at once in all",
  ]);
});
