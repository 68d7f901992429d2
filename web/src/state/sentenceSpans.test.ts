import { expect, test } from "vitest";
import { cutSpans, dropCommands, type Span } from "./sentenceSpans";

const SPANS: Span[] = [
  { kind: "text", text: "pool " },
  { kind: "pool", text: "small" },
  { kind: "text", text: " is full" },
];

test("a sentence that is short enough keeps its spans", () => {
  expect(cutSpans(SPANS, 18)).toEqual(SPANS);
});

test("a span that is cut is no name any more", () => {
  expect(cutSpans(SPANS, 7)).toEqual([SPANS[0], { kind: "text", text: "sm" }]);
  expect(cutSpans(SPANS, 5)).toEqual([SPANS[0]]);
});

const told = (...parts: (string | string[])[]) =>
  parts.map((part): Span =>
    typeof part === "string"
      ? { kind: "text", text: part }
      : {
          kind: "command",
          text: part.join(" "),
          command: { verb: part[1] ?? "", names: part.slice(2), options: [] },
        },
  );
const words = (spans: readonly Span[]) => spans.map((span) => span.text).join("");

test("a command without a place goes with its clause", () => {
  expect(words(dropCommands(told("no worker is alive; start one with: ", ["gnomon", "worker"])))).toBe(
    "no worker is alive",
  );
  expect(
    words(dropCommands(told("it can never start. Give it more: ", ["gnomon", "pools set", "p", "1"], ". It waits."))),
  ).toBe("it can never start. It waits.");
  expect(
    words(dropCommands(told("no scheduler; start: ", ["gnomon", "scheduler"], ", or ", ["gnomon", "standalone"]))),
  ).toBe("no scheduler");
});

test("a command with a place stays, and so does a sentence that is only a command", () => {
  const paused = told("it is paused; unpause it with: ", ["gnomon", "dags unpause", "steps"]);
  expect(dropCommands(paused)).toEqual(paused);
  expect(words(dropCommands(paused, true))).toBe("it is paused");
  const bare = told("see ", ["gnomon", "quarantine list"]);
  expect(dropCommands(bare)).toEqual(bare);
});
