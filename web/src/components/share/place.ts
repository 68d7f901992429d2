/** The place where one is in a view: how far its boxes are scrolled and which row stands on top, as the part of an address behind `#`. */

/** A box that is scrolled. */
export interface BoxPlace {
  /** The first class of the box; empty: the window. */
  box: string;
  x: number;
  y: number;
  /** What its first row in view is about, and how many pixels it stands below the top of the box. */
  row?: string;
  below?: number;
}

const NAME = "at";
const BOXES_MAX = 4;
const ROW_MAX = 500;

/** `#at=…`; empty: nothing is scrolled. */
export function writePlace(places: readonly BoxPlace[]): string {
  if (places.length === 0) return "";
  const texts = places
    .slice(0, BOXES_MAX)
    .map(({ box, x, y, row, below }) =>
      JSON.stringify([box, Math.round(x), Math.round(y), row, below && Math.round(below)]),
    );
  return `#${new URLSearchParams(texts.map((text) => [NAME, text])).toString()}`;
}

/** The places of such an address; what is none is left out. */
export function readPlace(hash: string): BoxPlace[] {
  return new URLSearchParams(hash.replace(/^#/, "")).getAll(NAME).slice(0, BOXES_MAX).flatMap(readBox);
}

function readBox(text: string): BoxPlace[] {
  try {
    const [box, x, y, row, below] = JSON.parse(text) as unknown[];
    const isPlace = typeof box === "string" && Number.isFinite(x) && Number.isFinite(y);
    if (!isPlace) return [];
    const place: BoxPlace = { box, x: Number(x), y: Number(y) };
    return [typeof row === "string" ? { ...place, row: row.slice(0, ROW_MAX), below: Number(below) || 0 } : place];
  } catch {
    return [];
  }
}
