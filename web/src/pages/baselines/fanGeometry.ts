/** Where the predictions of a due time lie in the picture: the time of the prediction to the right, the predicted end upwards. */

import type { BaselineLevel, Prediction } from "../../api/baselines";

export interface FanPoint {
  x: number;
  /** The middle; undefined: in half of the futures it does not end. */
  p50: number | undefined;
  p90: number | undefined;
  prediction: Prediction;
}

export interface FanSegment {
  x: number;
  width: number;
  level: BaselineLevel;
}

export interface Fan {
  points: FanPoint[];
  /** The band between both ends, as the data of a path; one for each stretch without a gap. */
  bands: string[];
  lines: string[];
  levels: FanSegment[];
  due: number;
  /** The spans of both axes, in ms. */
  across: [number, number];
  up: [number, number];
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A twentieth of the height stays free above and below. */
const MARGIN = 0.05;
const LEAST_MS = 60_000;

export function drawFan(predictions: readonly Prediction[], dueAt: number, until: number, box: Box): Fan {
  const first = Date.parse(predictions[0]?.at ?? "");
  const across: [number, number] = [first, Math.max(until, first + LEAST_MS)];
  const ends = predictions.flatMap(({ end_p50, end_p90 }) =>
    [end_p50, end_p90].flatMap((at) => (at ? Date.parse(at) : [])),
  );
  const low = Math.min(dueAt, ...ends);
  const high = Math.max(dueAt, ...ends, low + LEAST_MS);
  const margin = MARGIN * (high - low);
  const up: [number, number] = [low - margin, high + margin];
  const x = (at: number) => box.left + ((at - across[0]) / (across[1] - across[0])) * (box.right - box.left);
  const y = (at: number) => box.bottom - ((at - up[0]) / (up[1] - up[0])) * (box.bottom - box.top);
  const points = predictions.map((prediction) => ({
    x: x(Date.parse(prediction.at)),
    p50: prediction.end_p50 ? y(Date.parse(prediction.end_p50)) : undefined,
    p90: prediction.end_p90 ? y(Date.parse(prediction.end_p90)) : undefined,
    prediction,
  }));
  // A prediction holds until the next one: one that hardly differs from it is not kept.
  const steps = points.map((point, at) => ({ ...point, next: points[at + 1]?.x ?? box.right }));
  const stretches = splitGaps(steps, ({ p50 }) => p50 !== undefined);
  return {
    points,
    lines: stretches.map(
      (stretch) => `M${stretch.map(({ x: at, next, p50 }) => `${at} ${p50}L${next} ${p50}`).join("L")}`,
    ),
    bands: stretches.map((stretch) => {
      const upper = stretch.map(({ x: at, next, p90 }) => `${at} ${p90 ?? box.top}L${next} ${p90 ?? box.top}`);
      const lower = stretch.map(({ x: at, next, p50 }) => `${next} ${p50}L${at} ${p50}`).reverse();
      return `M${[...upper, ...lower].join("L")}Z`;
    }),
    levels: joinLevels(steps),
    due: y(dueAt),
    across,
    up,
  };
}

function splitGaps<T>(items: readonly T[], isThere: (item: T) => boolean): T[][] {
  const stretches: T[][] = [];
  let isOpen = false;
  for (const item of items) {
    if (isThere(item)) {
      if (isOpen) stretches.at(-1)?.push(item);
      else stretches.push([item]);
    }
    isOpen = isThere(item);
  }
  return stretches;
}

/** Neighbours with the same level are one. */
function joinLevels(steps: readonly (FanPoint & { next: number })[]): FanSegment[] {
  const segments: FanSegment[] = [];
  for (const { x, next, prediction } of steps) {
    const last = segments.at(-1);
    if (last?.level === prediction.level) last.width = next - last.x;
    else segments.push({ x, width: next - x, level: prediction.level });
  }
  return segments;
}
