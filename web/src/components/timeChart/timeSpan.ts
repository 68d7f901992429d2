/** The span of time that a chart shows, and what is marked in it. */

export interface Span {
  from: number;
  to: number;
}

/** A vertical line at an instant. */
export interface TimeMark {
  at: number;
  /** Beside the line; empty: the line alone. */
  label: string;
  tone: "now" | "due" | "good" | "warn" | "bad";
}

/** Behind this part of the axis a label stands before its line. */
export const TURNED_PERCENT = 85;

export function percentOf({ from, to }: Span, at: number): number {
  return Math.min(100, Math.max(0, (100 * (at - from)) / Math.max(1, to - from)));
}
