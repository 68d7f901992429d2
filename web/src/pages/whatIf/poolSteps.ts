/** The load of a pool as the path of an area with steps. */

import type { LoadSpan } from "../../api/simulations";
import { percentOf, type Span } from "../../components/timeChart/timeSpan";

export interface Step {
  from: number;
  to: number;
  taken: number;
  waiting: number;
}

export interface Place {
  span: Span;
  /** What the top stands for. */
  most: number;
  width: number;
  height: number;
}

/** The spans that lie in the time that is shown. */
export function stepsOf(load: readonly LoadSpan[], span: Span): Step[] {
  return load
    .map(({ start, end, taken, waiting }) => ({ from: Date.parse(start), to: Date.parse(end), taken, waiting }))
    .filter(({ from, to }) => to > span.from && from < span.to);
}

/** The outline from the left to the right, at the bottom where nothing is. */
export function stepPath(
  steps: readonly Step[],
  { span, most, width, height }: Place,
  of: (step: Step) => number,
): string {
  const across = (at: number) => ((width * percentOf(span, at)) / 100).toFixed(1);
  const up = (value: number) => (height * (1 - value / most)).toFixed(1);
  let path = `M0 ${height}`;
  let last: number | undefined;
  for (const step of steps) {
    if (last !== step.from) path += `V${height}H${across(step.from)}`;
    path += `V${up(of(step))}H${across(step.to)}`;
    last = step.to;
  }
  return `${path}V${height}H${width}`;
}

/** The most slots that are waited for at once. */
export function findWaiting(load: readonly LoadSpan[]): number {
  return load.reduce((most, { waiting }) => Math.max(most, waiting), 0);
}
