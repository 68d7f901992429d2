/** The pieces of a sentence of the server, each with what it names. */

import type { components } from "../api/schema";
import { findPlace } from "./commandPlaces";

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

/** Where a clause ends: before what follows. */
const CLAUSE_END = /[.;](?: |$)|[。；]/;
const MARKS = ["; ", ". ", "；", "。"];

/** The spans without the clauses that tell a command for which the page has no place, or with `hasButton` any command: a page is no terminal. A sentence that is nothing else stays as it is. */
export function dropCommands(spans: readonly Span[], hasButton = false): readonly Span[] {
  const kept: Span[] = [];
  let isDropping = false;
  for (const span of spans) {
    if (span.command && (hasButton || !findPlace(span.command))) {
      if (!isDropping) cutLastClause(kept);
      isDropping = true;
    } else if (!isDropping) kept.push(span);
    else if (span.kind === "text") {
      const end = CLAUSE_END.exec(span.text);
      if (!end) continue;
      isDropping = false;
      kept.push({ kind: "text", text: span.text.slice(end.index) });
    }
  }
  return kept.some((span) => /\w/.test(span.text)) ? kept : spans;
}

/** Remove the words after the last full stop or semicolon, with this mark. */
function cutLastClause(spans: Span[]): void {
  for (let span = spans.pop(); span; span = spans.pop()) {
    const { text } = span;
    const at = span.kind === "text" ? Math.max(...MARKS.map((mark) => text.lastIndexOf(mark))) : -1;
    if (at < 0) continue;
    if (at > 0) spans.push({ kind: "text", text: text.slice(0, at) });
    return;
  }
}
