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

/** What else a link keeps: the part of a graph that is in view, and the rows that are chosen. */
export interface ViewPlace {
  graph?: GraphPlace;
  chosen?: readonly string[];
}

/** The point of a picture in the middle of its frame, and how large it is drawn. */
export interface GraphPlace {
  x: number;
  y: number;
  scale: number;
}

const NAME = "at";
const GRAPH = "graph";
const CHOSEN = "chosen";
const CHOSEN_MAX = 100;
const BOXES_MAX = 4;
const ROW_MAX = 500;

/** `#at=…`; empty: nothing is scrolled, moved or chosen. */
export function writePlace(places: readonly BoxPlace[], { graph, chosen = [] }: ViewPlace = {}): string {
  const texts = places
    .slice(0, BOXES_MAX)
    .map(({ box, x, y, row, below }) =>
      JSON.stringify([box, Math.round(x), Math.round(y), row, below && Math.round(below)]),
    );
  const parts = [
    ...texts.map((text) => [NAME, text]),
    ...(graph ? [[GRAPH, `${Math.round(graph.x)} ${Math.round(graph.y)} ${graph.scale.toFixed(3)}`]] : []),
    ...chosen.slice(0, CHOSEN_MAX).map((row) => [CHOSEN, row]),
  ];
  return parts.length === 0 ? "" : `#${new URLSearchParams(parts).toString()}`;
}

/** The part of a graph of such an address; undefined: it names none. */
export function readGraphPlace(hash: string): GraphPlace | undefined {
  const [x = NaN, y = NaN, scale = NaN] = (readPart(hash).get(GRAPH) ?? "").split(" ").map(Number);
  return Number.isFinite(x) && Number.isFinite(y) && scale > 0 ? { x, y, scale } : undefined;
}

/** The rows that such an address has chosen. */
export function readChosen(hash: string): string[] {
  return readPart(hash).getAll(CHOSEN).slice(0, CHOSEN_MAX);
}

function readPart(hash: string): URLSearchParams {
  return new URLSearchParams(hash.replace(/^#/, ""));
}

/** The places of such an address; what is none is left out. */
export function readPlace(hash: string): BoxPlace[] {
  return readPart(hash).getAll(NAME).slice(0, BOXES_MAX).flatMap(readBox);
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
