/** What a picture of a graph shows: the same for the tasks of a DAG and for DAGs and assets. */

import type { Edge } from "./layout";

/** (state, count), the most urgent first. */
export type StateCounts = [string | null, number][];

export interface PictureNode {
  key: string;
  name: string;
  /** The full id, where the name is without that of its group. */
  fullName?: string;
  kind: "task" | "group" | "open" | "dag" | "asset" | "alias" | "missing" | "unknown";
  /** The index of the open group that contains it; null at the top. */
  parent: number | null;
  /** The line below the name. */
  note: string;
  /** The states for which it stands, the most urgent first; empty: nothing has run. */
  states: StateCounts;
  /** How many tasks or DAGs a folded group stands for. */
  count?: number;
  /** A mark behind the name: mapped, setup, teardown. */
  sign?: string;
  /** It is not active: a paused DAG, a DAG that no file defines. */
  isDashed?: boolean;
  isWrong?: boolean;
}

export interface PictureEdge {
  ends: Edge;
  kind: string;
  label: string;
  isWrong?: boolean;
}

export interface PictureGraph {
  /** An open group stands before its members. */
  nodes: PictureNode[];
  edges: PictureEdge[];
}

/** What can be reached from a node in one direction, without itself. From an open group: from all of its members. */
function follow(graph: PictureGraph, starts: ReadonlySet<number>, side: 0 | 1): Set<number> {
  const lists: number[][] = graph.nodes.map(() => []);
  for (const { ends } of graph.edges) lists[ends[side]]?.push(ends[1 - side] as number);
  const reached = new Set<number>();
  const waiting = [...starts];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop())
    for (const other of lists[node] ?? [])
      if (!reached.has(other)) {
        reached.add(other);
        waiting.push(other);
      }
  for (const start of starts) reached.delete(start);
  return reached;
}

export interface Reach {
  upstream: Set<number>;
  downstream: Set<number>;
  /** The edges that lead to the node or come from it, over however many nodes. */
  edges: Set<number>;
}

export function findReach(graph: PictureGraph, from: number): Reach {
  const starts = graph.nodes[from]?.kind === "open" ? listMembers(graph, from) : new Set([from]);
  const upstream = follow(graph, starts, 1);
  const downstream = follow(graph, starts, 0);
  const edges = new Set<number>();
  graph.edges.forEach(({ ends: [a, b] }, at) => {
    const isBefore = upstream.has(a) && (upstream.has(b) || starts.has(b));
    const isAfter = downstream.has(b) && (downstream.has(a) || starts.has(a));
    if (isBefore || isAfter) edges.add(at);
  });
  return { upstream, downstream, edges };
}

/** An open group and all that it contains. */
export function listMembers(graph: PictureGraph, group: number): Set<number> {
  const inside = new Set([group]);
  graph.nodes.forEach(({ parent }, at) => {
    if (parent !== null && inside.has(parent)) inside.add(at);
  });
  return inside;
}
