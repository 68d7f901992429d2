/** The layer of each node of a directed graph: no edge leads back, and few edges are long. */

import type { Edge } from "./layout";

/** Which edges close a cycle. Edges between folded groups may form cycles though those between tasks do not. */
export function findBackEdges(count: number, edges: readonly Edge[]): boolean[] {
  const next = listEdges(count, edges, 0);
  const state = new Uint8Array(count);
  const isBack = edges.map(() => false);
  for (let root = 0; root < count; root += 1) {
    if (state[root] !== 0) continue;
    const stack: [number, number][] = [[root, 0]];
    state[root] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1] as [number, number];
      const edge = next[top[0]]?.[top[1]];
      top[1] += 1;
      const target = edge === undefined ? undefined : (edges[edge] as Edge)[1];
      if (target === undefined) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[target] === 1) isBack[edge as number] = true;
      else if (state[target] === 0) {
        state[target] = 1;
        stack.push([target, 0]);
      }
    }
  }
  return isBack;
}

/** By node its layer: as early as its upstreams permit, and then as late as shortens its edges in sum. The edges have no cycle. */
export function rankNodes(count: number, edges: readonly Edge[]): number[] {
  const next = listNeighbours(count, edges);
  const before = listNeighbours(
    count,
    edges.map(([from, to]): Edge => [to, from]),
  );
  const order = sortTopologically(count, next, before);
  const rank: number[] = new Array<number>(count).fill(0);
  for (const node of order)
    for (const target of next[node] as number[])
      rank[target] = Math.max(rank[target] as number, (rank[node] as number) + 1);
  for (const node of order.reverse()) {
    const after = next[node] as number[];
    if (after.length === 0 || (before[node] as number[]).length >= after.length) continue;
    rank[node] = Math.min(...after.map((target) => (rank[target] as number) - 1));
  }
  return rank;
}

/** By node the indexes of the edges that have it at this end. */
function listEdges(count: number, edges: readonly Edge[], end: 0 | 1): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  edges.forEach((edge, at) => lists[edge[end]]?.push(at));
  return lists;
}

function listNeighbours(count: number, edges: readonly Edge[]): number[][] {
  const next: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) next[from]?.push(to);
  return next;
}

function sortTopologically(count: number, next: number[][], before: number[][]): number[] {
  const missing = before.map((nodes) => nodes.length);
  const order: number[] = [];
  for (let node = 0; node < count; node += 1) if (missing[node] === 0) order.push(node);
  for (let at = 0; at < order.length; at += 1) {
    for (const target of next[order[at] as number] as number[]) {
      missing[target] = (missing[target] as number) - 1;
      if (missing[target] === 0) order.push(target);
    }
  }
  return order;
}
