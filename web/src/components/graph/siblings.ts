/** Siblings that have the same upstream and the same downstream nodes: a wall of them is packed into a block, with one line to it and one from it. */

import type { GraphRequest } from "./layout";

/** Fewer stand beside each other across the direction of the lines. */
const PACKED_MIN = 7;
/** In a frame that is higher than wide there is no room for more. */
const PACKED_MIN_NARROW = 3;

/** The members of each block. An open group is in none. */
export function findBlocks({ nodes, edges, kinds, labels, direction, aspect }: GraphRequest): number[][] {
  const ends = nodes.map((): string[] => []);
  edges.forEach(([from, to], at) => {
    const kind = `${kinds[at] ?? ""}${labels[at] ? ` label ${at}` : ""}`;
    ends[from]?.push(`>${to} ${kind}`);
    ends[to]?.push(`<${from} ${kind}`);
  });
  const alike = new Map<string, number[]>();
  nodes.forEach((node, at) => {
    if (node.isOpenGroup) return;
    const key = `${node.parent ?? "top"}|${(ends[at] as string[]).sort().join()}`;
    const members = alike.get(key);
    if (members) members.push(at);
    else alike.set(key, [at]);
  });
  const least = direction === "TB" && aspect < 1 ? PACKED_MIN_NARROW : PACKED_MIN;
  return [...alike.values()].filter((members) => members.length >= least);
}
