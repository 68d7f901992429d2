/** The layer of each node of a directed graph: no edge leads back, and few edges are long. */

export type Edge = [number, number];

/** The edges without those that close a cycle, which are turned round. Edges between folded groups may form cycles though those between tasks do not. */
export function breakCycles(count: number, edges: readonly Edge[]): Edge[] {
  const next = listSuccessors(count, edges);
  const state = new Uint8Array(count);
  const turned = new Set<string>();
  for (let root = 0; root < count; root += 1) {
    if (state[root] !== 0) continue;
    const stack: [number, number][] = [[root, 0]];
    state[root] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1] as [number, number];
      const target = next[top[0]]?.[top[1]];
      top[1] += 1;
      if (target === undefined) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[target] === 1) {
        turned.add(`${top[0]}>${target}`);
      } else if (state[target] === 0) {
        state[target] = 1;
        stack.push([target, 0]);
      }
    }
  }
  return turned.size === 0
    ? [...edges]
    : edges
        .filter(([from, to]) => from !== to)
        .map(([from, to]): Edge => (turned.has(`${from}>${to}`) ? [to, from] : [from, to]));
}

/** By node its layer: as early as its upstreams permit, and then as late as shortens its edges in sum. The edges have no cycle. */
export function rankNodes(count: number, edges: readonly Edge[]): Int32Array {
  const next = listSuccessors(count, edges);
  const before = listSuccessors(
    count,
    edges.map(([from, to]): Edge => [to, from]),
  );
  const order = sortTopologically(count, next, before);
  const rank = new Int32Array(count);
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

export function listSuccessors(count: number, edges: readonly Edge[]): number[][] {
  const next: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) next[from]?.push(to);
  return next;
}

function sortTopologically(count: number, next: number[][], before: number[][]): number[] {
  const left = before.map((nodes) => nodes.length);
  const order: number[] = [];
  for (let node = 0; node < count; node += 1) if (left[node] === 0) order.push(node);
  for (let at = 0; at < order.length; at += 1) {
    for (const target of next[order[at] as number] as number[]) {
      left[target] = (left[target] as number) - 1;
      if (left[target] === 0) order.push(target);
    }
  }
  return order;
}
