/** Siblings that have the same upstream and the same downstream nodes: a wall of them is packed into a block, with one line to it and one from it. */

import type { GraphRequest } from "./layout";

/** Fewer stand one below the other. */
export const PACKED_MIN = 7;

/** The members of each block. An open group is in none. */
export function findBlocks({ nodes, edges, kinds, labels }: GraphRequest): number[][] {
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
  return [...alike.values()].filter((members) => members.length >= PACKED_MIN);
}
