/** How a name fits into its node: lines that break behind `_`, `.`, `-` and `/`, and the size that they need. */

export const LINE_PX = 16;
const WIDTH_MAX = 210;
const WIDTH_MIN = 96;
const LINES_MAX = 5;
export const FONT = '600 13px "Inter Gnomon", system-ui, -apple-system, "Segoe UI", sans-serif';

export type Measure = (text: string) => number;

let context: CanvasRenderingContext2D | null | undefined;

/** The width of a text in pixels. */
export const measureText: Measure = (text) => {
  if (context === undefined) {
    context = document.createElement("canvas").getContext("2d");
    if (context) context.font = FONT;
  }
  return context ? context.measureText(text).width : text.length * 8;
};

export interface FittedText {
  lines: string[];
  width: number;
  /** The last line stands for more text than is shown. */
  isCut: boolean;
}

export function fitText(text: string, measure: Measure): FittedText {
  const lines: string[] = [];
  let line = "";
  const shown = text.slice(0, LINES_MAX * 80);
  for (const part of shown.split(/(?<=[_.\-/\s])/)) {
    let rest = part;
    if (line !== "" && measure(line + rest) > WIDTH_MAX) {
      lines.push(line);
      line = "";
    }
    while (measure(line + rest) > WIDTH_MAX) {
      const fits = findFitting(rest, measure);
      lines.push(rest.slice(0, fits));
      rest = rest.slice(fits);
    }
    line += rest;
  }
  if (line !== "") lines.push(line);
  const isCut = lines.length > LINES_MAX || shown.length < text.length;
  const kept = lines.slice(0, LINES_MAX);
  if (isCut) kept[kept.length - 1] = `${(kept[kept.length - 1] ?? "").slice(0, -1)}…`;
  const width = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, ...kept.map(measure)));
  return { lines: kept, width: Math.ceil(width), isCut };
}

function findFitting(text: string, measure: Measure): number {
  let [fits, tooMany] = [1, text.length];
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (measure(text.slice(0, middle)) <= WIDTH_MAX) fits = middle;
    else tooMany = middle;
  }
  return fits;
}
