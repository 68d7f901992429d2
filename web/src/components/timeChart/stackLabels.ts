/** The labels of marks in as many lines as they need so that none covers another. */

import { percentOf, type Span, type TimeMark, TURNED_PERCENT } from "./timeSpan";

/** Of those that would need more lines only the lines through the rows are drawn. */
const LANES_MAX = 4;
const LETTER_PX = 7.5;
const LABEL_MAX_PX = 200;
const GAP_PX = 8;

/** `width`: of the track, in pixels. */
export function stackLabels(span: Span, width: number, marks: readonly TimeMark[]): TimeMark[][] {
  const lanes: { marks: TimeMark[]; taken: [number, number][] }[] = [];
  for (const mark of marks.filter(({ label }) => label !== "")) {
    const percent = percentOf(span, mark.at);
    const x = (percent / 100) * width;
    const size = Math.min(LABEL_MAX_PX, LETTER_PX * mark.label.length + GAP_PX);
    const [left, right] = percent > TURNED_PERCENT ? [x - size, x] : [x, x + size];
    const free = lanes.find(({ taken }) => taken.every(([from, to]) => right < from || left > to));
    if (free) {
      free.marks.push(mark);
      free.taken.push([left, right]);
    } else if (lanes.length < LANES_MAX) lanes.push({ marks: [mark], taken: [[left, right]] });
  }
  return lanes.map((lane) => lane.marks);
}
