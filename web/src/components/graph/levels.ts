/** Which edges are laid out in which group: between its members, or through its sides. */

import type { Edge } from "./layout";

export interface Level {
  /** Edges between two of its members. */
  inner: number[];
  /** Edges from within it to a node outside, and from outside to a node within it. */
  out: number[];
  in: number[];
}

export const TOP = -1;

/** `parents`: by node the group that contains it, `TOP` for none. */
export function sortEdges(parents: readonly number[], edges: readonly Edge[]): Map<number, Level> {
  const levels = new Map<number, Level>();
  const levelOf = (group: number) => {
    const known = levels.get(group) ?? { inner: [], out: [], in: [] };
    levels.set(group, known);
    return known;
  };
  edges.forEach(([from, to], at) => {
    if (from === to) return;
    const [left, right] = [listAncestors(parents, from), listAncestors(parents, to)];
    const shared = left.find((group) => right.includes(group)) as number;
    if (from === shared || to === shared) return;
    levelOf(shared).inner.push(at);
    for (const group of left.slice(0, left.indexOf(shared))) levelOf(group).out.push(at);
    for (const group of right.slice(0, right.indexOf(shared))) levelOf(group).in.push(at);
  });
  return levels;
}

/** The groups that contain a node, the innermost first; `TOP` is the last. */
function listAncestors(parents: readonly number[], node: number): number[] {
  const ancestors: number[] = [];
  for (let at = node; at !== TOP;) {
    at = parents[at] as number;
    ancestors.push(at);
  }
  return ancestors;
}

/** By edge the side of the group through which it goes: edges whose nodes within the group have the same partners outside share one. */
export function shareSides(
  through: readonly number[],
  edges: readonly Edge[],
  inside: 0 | 1,
  kindOf: (edge: number) => string,
): Map<number, number> {
  const partners = new Map<number, string[]>();
  for (const at of through) {
    const edge = edges[at] as Edge;
    const list = partners.get(edge[inside]) ?? [];
    partners.set(edge[inside], list);
    list.push(`${edge[1 - inside]} ${kindOf(at)}`);
  }
  const keys = new Map([...partners].map(([node, list]) => [node, list.sort().join()]));
  const numbers = new Map<string, number>();
  const sides = new Map<number, number>();
  for (const at of through) {
    const key = `${keys.get((edges[at] as Edge)[inside])}|${kindOf(at)}`;
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    sides.set(at, numbers.get(key) as number);
  }
  return sides;
}
