/** Boxes without lines between them in a block that has about the wanted shape. */

import type { Point, Size } from "./layout";

export interface Packed extends Size {
  places: Point[];
}

/** Widths that are tried, by the one that the area alone suggests. */
const STRETCHES = [1, 1.15, 1.35, 1.6, 0.85];

/** In rows, the highest first: parts of a picture that are not connected. */
export function packShelves(sizes: readonly Size[], aspect: number, gap: number): Packed {
  const order = sizes.map((_, at) => at).sort((a, b) => height(b) - height(a) || a - b);
  const area = sizes.reduce((sum, size) => sum + (size.width + gap) * (size.height + gap), 0);
  const widest = Math.max(0, ...sizes.map((size) => size.width));
  /** How large the picture is in a frame of the wanted shape. */
  const extent = (packed: Packed) => Math.max(packed.width / aspect, packed.height);
  return STRETCHES.map((stretch) => pack(Math.max(widest, Math.sqrt(area * aspect) * stretch))).reduce(
    (best, packed) => (extent(packed) < extent(best) ? packed : best),
  );

  function pack(most: number): Packed {
    const places: Point[] = sizes.map(() => ({ x: 0, y: 0 }));
    let [x, y, high, width] = [0, 0, 0, 0];
    for (const at of order) {
      const size = sizes[at] as Size;
      if (x > 0 && x + size.width > most) [x, y, high] = [0, y + high + gap, 0];
      places[at] = { x, y };
      x += size.width + gap;
      high = Math.max(high, size.height);
      width = Math.max(width, x - gap);
    }
    return { places, width, height: y + high };
  }

  function height(at: number): number {
    return (sizes[at] as Size).height;
  }
}

/** In rows and columns, in their order. */
export function packCells(sizes: readonly Size[], aspect: number, gap: number): Packed {
  const width = Math.max(...sizes.map((size) => size.width));
  const mean = sizes.reduce((sum, size) => sum + size.height, 0) / sizes.length;
  const columns = Math.min(
    sizes.length,
    Math.max(1, Math.round(Math.sqrt((sizes.length * aspect * (mean + gap)) / (width + gap)))),
  );
  const places: Point[] = [];
  let y = 0;
  for (let first = 0; first < sizes.length; first += columns) {
    const row = sizes.slice(first, first + columns);
    row.forEach((size, at) => places.push({ x: at * (width + gap) + (width - size.width) / 2, y }));
    y += Math.max(...row.map((size) => size.height)) + gap;
  }
  return { places, width: columns * (width + gap) - gap, height: y - gap };
}
