/** Where each of several nodes leads to each of several others, the lines meet in one point: five and six instead of thirty. */

import type { Step } from "./links";

/** An edge of a level with the edges of the graph for which it stands. */
export interface Lifted extends Step {
  edges: number[];
  /** The width of its label, 0 without one. */
  label: number;
}

/** The edges with joins, which are nodes numbered from `count` on; and how many joins there are. */
export function joinEdges(steps: readonly Lifted[], count: number): { steps: Lifted[]; joins: number } {
  const bySource = new Map<string, Lifted[]>();
  for (const step of steps) {
    const key = `${step.from} ${step.fromPort ?? ""} ${step.kind}`;
    const list = bySource.get(key) ?? [];
    bySource.set(key, list);
    list.push(step);
  }
  const alike = new Map<string, Lifted[][]>();
  for (const list of bySource.values()) {
    const key = `${list[0]?.kind}|${list
      .map((step) => `${step.to} ${step.toPort ?? ""} ${step.label ? step.edges[0] : ""}`)
      .sort()
      .join()}`;
    const sources = alike.get(key) ?? [];
    alike.set(key, sources);
    sources.push(list);
  }
  const joined: Lifted[] = [];
  let joins = 0;
  for (const sources of alike.values()) {
    const targets = sources[0]?.length ?? 0;
    if (sources.length * targets <= sources.length + targets + 1) {
      joined.push(...sources.flat());
      continue;
    }
    const join = count + joins;
    joins += 1;
    for (const list of sources)
      joined.push({ ...(list[0] as Lifted), to: join, toPort: undefined, edges: list.flatMap(({ edges }) => edges) });
    (sources[0] as Lifted[]).forEach((step) =>
      joined.push({
        ...step,
        from: join,
        fromPort: undefined,
        edges: sources.flatMap((list) =>
          list.flatMap((one) => (one.to === step.to && one.toPort === step.toPort ? one.edges : [])),
        ),
      }),
    );
  }
  return { steps: joined, joins };
}
