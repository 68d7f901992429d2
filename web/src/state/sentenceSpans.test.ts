import { expect, test } from "vitest";
import { cutSpans, type Span } from "./sentenceSpans";

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
