/** The pieces of a sentence of the server, each with what it names. */

import type { components } from "../api/schema";

export type Span = components["schemas"]["SpanAnswer"];

/** The spans of the beginning of a sentence; the last one may be cut, and is text then. */
export function cutSpans(spans: readonly Span[], length: number): Span[] {
  const found: Span[] = [];
  let left = length;
  for (const span of spans) {
    if (left <= 0) break;
    found.push(span.text.length <= left ? span : { kind: "text", text: span.text.slice(0, left) });
    left -= span.text.length;
  }
  return found;
}
