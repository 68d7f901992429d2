/** Edges as links between neighbouring layers. Where an edge passes a layer it has a bend there, a node without a picture, so that no other node is in its way. */

import type { Edge } from "./layout";

/** An edge of one layout, from an earlier to a later layer. */
export interface Step {
  from: number;
  to: number;
  /** Where it leaves and enters, in px below the top of the node; undefined: anywhere on that side. */
  fromPort?: number;
  toPort?: number;
  kind: string;
}

export interface Link {
  from: number;
  to: number;
  fromPort?: number;
  toPort?: number;
  /** The edges of which it is a part. */
  steps: number[];
}

export interface Linked {
  /** The layer of each node, with the bends behind the real nodes. */
  ranks: number[];
  links: Link[];
}

/** Long edges of one source, or to one target, share their bends: one line that branches, instead of many beside each other. */
export function linkLayers(rank: readonly number[], steps: readonly Step[]): Linked {
  const ranks = [...rank];
  const links = new Map<string, Link>();
  const bends = new Map<string, number>();
  const fanOut = countEnds(steps.map(({ from, to }): Edge => [from, to]));
  const fanIn = countEnds(steps.map(({ from, to }): Edge => [to, from]));
  steps.forEach((step, at) => {
    const { from, to, fromPort, toPort, kind } = step;
    const isOfSource = (fanOut.get(from) ?? 0) >= (fanIn.get(to) ?? 0);
    const trunk = isOfSource ? `s${from}:${fromPort ?? ""}:${kind}` : `t${to}:${toPort ?? ""}:${kind}`;
    let last = from;
    for (let layer = (rank[from] as number) + 1; layer <= (rank[to] as number); layer += 1) {
      const isLast = layer === rank[to];
      const target = isLast ? to : findBend(`${trunk}:${layer}`, layer);
      const key = `${last}>${target}:${last === from ? (fromPort ?? "") : ""}:${isLast ? (toPort ?? "") : ""}:${kind}`;
      const link = links.get(key) ?? {
        from: last,
        to: target,
        fromPort: last === from ? fromPort : undefined,
        toPort: isLast ? toPort : undefined,
        steps: [],
      };
      link.steps.push(at);
      links.set(key, link);
      last = target;
    }
  });
  return { ranks, links: [...links.values()] };

  function findBend(key: string, layer: number): number {
    const known = bends.get(key);
    if (known !== undefined) return known;
    ranks.push(layer);
    bends.set(key, ranks.length - 1);
    return ranks.length - 1;
  }
}

function countEnds(edges: readonly Edge[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [end] of edges) counts.set(end, (counts.get(end) ?? 0) + 1);
  return counts;
}
