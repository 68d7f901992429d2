import { expect, test } from "vitest";
import { cutAnswerCommand, splitCommands } from "./sentenceCommands";

const read = (text: string) => splitCommands(text).map((one) => (one.place ? { ...one.place } : one.text));

test("a command that explains is a link to what it explains", () => {
  expect(read("run one is running: gnomon explain steps one")).toEqual([
    "run one is running: ",
    { dagId: "steps", runId: "one", taskId: undefined, words: "the page of the run" },
  ]);
  expect(read("it has not been created; `gnomon explain steps` says why")).toEqual([
    "it has not been created; ",
    { dagId: "steps", runId: undefined, taskId: undefined, words: "the page of the DAG" },
    " says why",
  ]);
  expect(read("gnomon explain steps 'a run' load")).toEqual([
    { dagId: "steps", runId: "a run", taskId: "load", words: "the page of the task" },
  ]);
});

test("a command that answers is a link to the form, also before the next sentence", () => {
  expect(read("answer with: gnomon tasks answer asks now approve --option publish; choose: it waits")).toEqual([
    "answer with: ",
    { dagId: "asks", runId: "now", taskId: "approve", hash: "question", words: "the form on its page" },
    "; choose: it waits",
  ]);
});

test("beside the button that answers, a condition does not lead to the form a second time", () => {
  expect(
    cutAnswerCommand(
      "since 2026-03-01T10:00:00Z it waits for a person to answer: Publish? (yes | no); answer with: gnomon tasks answer asks now each --map-index 3 --option yes",
    ),
  ).toBe("since 2026-03-01T10:00:00Z it waits for a person to answer: Publish? (yes | no)");
  expect(cutAnswerCommand("it waits for slot 1 of pool p")).toBe("it waits for slot 1 of pool p");
});

test("what is paused leads to the button", () => {
  expect(read("DAG steps is paused; unpause it with: gnomon dags unpause steps")).toEqual([
    "DAG steps is paused; unpause it with: ",
    { dagId: "steps", words: "the button on its page" },
  ]);
});

test.each([
  "start one with: gnomon triggerer --queues fast",
  "gnomon explain a b c d",
  "gnomon explain steps one 'each[3]'",
  "gnomon tasks answer asks now each --map-index 3 --option yes",
  "gnomon dags unpause steps --all",
  "gnomon explain",
  "no command at all",
  "it ends. gnomon explain `",
])("other text stays as it is: %s", (text) => {
  expect(
    splitCommands(text)
      .map((one) => one.text)
      .join(""),
  ).toBe(text);
  expect(splitCommands(text).every((one) => !one.place)).toBe(true);
});
