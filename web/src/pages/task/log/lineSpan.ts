/** A line of a log, or a range of lines, in an address: `12` or `12-40`, counted from 1. */

export interface LineSpan {
  /** Counted from 0, as the server counts. */
  first: number;
  last: number;
}

export function parseSpan(text: string | number | undefined): LineSpan | undefined {
  const found = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(String(text ?? ""));
  if (!found) return undefined;
  const first = Number(found[1]);
  const last = Number(found[2] ?? found[1]);
  return first < 1 || last < first ? undefined : { first: first - 1, last: last - 1 };
}

/** The line; or the range from those that are chosen to it. */
export function formatSpan(line: number, chosen: LineSpan | undefined): string | number {
  if (chosen === undefined) return line + 1;
  const first = Math.min(chosen.first, line) + 1;
  const last = Math.max(line > chosen.first ? line : chosen.last, line) + 1;
  return first === last ? first : `${first}-${last}`;
}
