/** The key path as rows of a chart: the wait before each step, its time, and what it may be late. */

import type { KeyStep } from "../../api/baselines";
import type { BarKind, Piece } from "../../components/timeChart/TimeBar";
import type { Span } from "../../components/timeChart/timeSpan";

/** A thirtieth of the width stays free at both ends. */
const MARGIN = 1 / 30;
const KINDS: Record<string, BarKind> = { failed: "failed", slow: "slow" };

/** The span of the steps with their waits and latest starts, the due time and the present, if that is near. */
export function findSpan(steps: readonly KeyStep[], dueAt: number): Span {
  const times = steps.flatMap((step) => [
    Date.parse(step.start) - 1000 * step.waited,
    Date.parse(step.end),
    ...(step.latest_start === null ? [] : [Date.parse(step.latest_start)]),
  ]);
  const [from, to] = [Math.min(dueAt, ...times), Math.max(dueAt, ...times)];
  const margin = Math.max(1_000, MARGIN * (to - from));
  return { from: from - margin, to: to + margin };
}

export function listPieces(step: KeyStep): Piece[] {
  const [start, end] = [Date.parse(step.start), Date.parse(step.end)];
  const bar: Piece = { from: start, to: end, kind: KINDS[step.trouble] ?? "running" };
  return step.waited >= 1 ? [{ from: start - 1000 * step.waited, to: start, kind: "wait" }, bar] : [bar];
}
