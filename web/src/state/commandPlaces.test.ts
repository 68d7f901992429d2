import { expect, test } from "vitest";
import { findPlace } from "./commandPlaces";

const command = (verb: string, names: string[], options: string[] = []) => ({ verb, names, options });

test("a command that explains leads to what it explains", () => {
  expect(findPlace(command("explain", ["steps"]))).toEqual({ dagId: "steps", words: "the page of the DAG" });
  expect(findPlace(command("explain", ["steps", "a run", "load"]))).toEqual({
    dagId: "steps",
    runId: "a run",
    taskId: "load",
    words: "the page of the task",
  });
});

test("a command that answers leads to the form", () => {
  expect(findPlace(command("tasks answer", ["asks", "now", "approve"], ["--option", "publish"]))).toEqual({
    dagId: "asks",
    runId: "now",
    taskId: "approve",
    hash: "question",
    words: "the form on its page",
  });
});

test("what is paused leads to the button", () => {
  expect(findPlace(command("dags unpause", ["steps"]))).toEqual({ dagId: "steps", words: "the button on its page" });
});

test("a command that runs something again leads to the page with its button", () => {
  expect(findPlace(command("runs clear", ["steps", "now"], ["--only-failed"]))).toEqual({
    dagId: "steps",
    runId: "now",
    words: "the button on its page",
  });
});

test.each([
  command("triggerer", [], ["--queues", "fast"]),
  command("tasks answer", ["asks", "now", "each"], ["--map-index", "3", "--option", "yes"]),
  command("dags unpause", ["steps"], ["--all"]),
  command("pools set", ["small", "SLOTS"]),
])("other commands have no place: $verb", (other) => {
  expect(findPlace(other)).toBeUndefined();
});
