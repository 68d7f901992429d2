/** The next node for an arrow key. */

import type { Direction, Placed } from "./layout";
import type { PictureGraph } from "./picture";

const ALONG: Record<Direction, [string, string]> = { LR: ["ArrowLeft", "ArrowRight"], TB: ["ArrowUp", "ArrowDown"] };
const VECTORS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Along the edges to an upstream or downstream node, the nearest first; across them, and where there is no edge, to the nearest node in that direction. */
export function walk(
  graph: PictureGraph,
  places: readonly Placed[],
  from: number,
  key: string,
  direction: Direction,
): number | undefined {
  const vector = VECTORS[key];
  if (!vector) return undefined;
  const linked = graph.edges
    .filter(({ ends }) =>
      key === ALONG[direction][1] ? ends[0] === from : key === ALONG[direction][0] && ends[1] === from,
    )
    .map(({ ends }) => (ends[0] === from ? ends[1] : ends[0]));
  if (linked.length > 0) return nearest(places, from, linked);
  const origin = middle(places[from] as Placed);
  let best: number | undefined;
  let least = Infinity;
  places.forEach((place, at) => {
    if (at === from) return;
    const to = middle(place);
    const ahead = (to.x - origin.x) * vector[0] + (to.y - origin.y) * vector[1];
    const aside = Math.abs((to.x - origin.x) * vector[1]) + Math.abs((to.y - origin.y) * vector[0]);
    const cost = ahead + 3 * aside;
    if (ahead > 1 && cost < least) [best, least] = [at, cost];
  });
  return best;
}

function nearest(places: readonly Placed[], from: number, nodes: number[]): number {
  const origin = middle(places[from] as Placed);
  const distance = (node: number) => {
    const to = middle(places[node] as Placed);
    return Math.hypot(to.x - origin.x, to.y - origin.y);
  };
  return nodes.reduce((best, node) => (distance(node) < distance(best) ? node : best));
}

function middle(place: Placed) {
  return { x: place.x + place.width / 2, y: place.y + place.height / 2 };
}
