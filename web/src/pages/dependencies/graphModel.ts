/** DAGs, assets and aliases as one graph: what it consists of, what a fold or a focus leaves of it. No drawing. */

import type { DependencyGraph, GraphNodes } from "../../api/across";

export type NodeKind = "dag" | "asset" | "alias" | "unknown" | "missing" | "group";
export type EdgeKind = "waits" | "triggers" | "writes" | "schedules" | "reads" | "alias";
export type Fold = "none" | "folder" | "tag" | "owner";

export interface GraphNode {
  key: string;
  kind: NodeKind;
  name: string;
  /** The DAGs for which it stands; those of a group are several. */
  dagIds: string[];
  assetId?: number;
  paused?: boolean;
  /** Why its dependencies can never be met, or that it is in a circle. */
  error?: string;
}

export interface GraphEdge {
  /** Keys of nodes: what comes first, and what comes after it. */
  from: string;
  to: string;
  kind: EdgeKind;
  /** Tasks and options, in words. */
  label: string;
  /** How many edges it stands for. */
  count: number;
  isWrong: boolean;
}

export interface WholeGraph {
  nodes: Map<string, GraphNode>;
  edges: GraphEdge[];
  /** Groups of each DAG by the way to fold. */
  groups: Record<Exclude<Fold, "none">, Map<string, string>>;
  /** DAGs without any relation, which are not in the graph. */
  unrelated: number;
}

const dagKey = (dagId: string) => `dag ${dagId}`;
const assetKey = (index: number) => `asset ${index}`;

export function buildGraph(found: DependencyGraph, nodes: GraphNodes): WholeGraph {
  const inCircle = new Map(
    nodes.circles.flatMap((circle) => circle.map((dagId) => [dagId, [...circle, circle[0]].join(" → ")] as const)),
  );
  const errors = new Map(
    found.dependencies.filter((one) => one.error !== null).map((one) => [one.dag_id, one.error as string]),
  );
  const edges: GraphEdge[] = [
    ...found.dependencies.map((one): GraphEdge => ({
      from: dagKey(one.upstream_dag_id),
      to: dagKey(one.dag_id),
      kind: "waits",
      count: 1,
      isWrong: one.error !== null || one.unknown,
      label: [
        one.upstream_task_id || one.task_id ? `${one.upstream_task_id ?? "*"} → ${one.task_id ?? "*"}` : "",
        ...one.options,
      ]
        .filter(Boolean)
        .join(", "),
    })),
    ...nodes.dags.flatMap((dag) =>
      dag.triggers.map((other): GraphEdge => ({
        from: dagKey(dag.dag_id),
        to: dagKey(other),
        kind: "triggers",
        label: "",
        count: 1,
        isWrong: false,
      })),
    ),
    ...nodes.asset_edges.map((one): GraphEdge => {
      const asset = assetKey(one.asset);
      const isWrong = one.role !== "inlet" && inCircle.has(one.dag_id);
      if (one.role === "outlet")
        return { from: dagKey(one.dag_id), to: asset, kind: "writes", label: one.task_id ?? "", count: 1, isWrong };
      return {
        from: asset,
        to: dagKey(one.dag_id),
        kind: one.role === "inlet" ? "reads" : "schedules",
        label: one.task_id ?? "",
        count: 1,
        isWrong,
      };
    }),
    ...nodes.alias_edges.map(([alias, asset]): GraphEdge => ({
      from: assetKey(alias),
      to: assetKey(asset),
      kind: "alias",
      label: "",
      count: 1,
      isWrong: false,
    })),
  ];
  const related = new Set(edges.flatMap((one) => [one.from, one.to]));
  const all = new Map<string, GraphNode>();
  for (const dag of nodes.dags) {
    const circle = inCircle.get(dag.dag_id);
    if (related.has(dagKey(dag.dag_id)))
      all.set(dagKey(dag.dag_id), {
        key: dagKey(dag.dag_id),
        kind: "dag",
        name: dag.dag_id,
        dagIds: [dag.dag_id],
        paused: dag.paused,
        error: errors.get(dag.dag_id) ?? circle,
      });
  }
  nodes.assets.forEach((asset, at) =>
    all.set(assetKey(at), {
      key: assetKey(at),
      kind: asset.kind as NodeKind,
      name: asset.name,
      dagIds: [],
      assetId: asset.asset_id ?? undefined,
    }),
  );
  for (const key of related) if (!all.has(key)) all.set(key, { key, kind: "missing", name: key.slice(4), dagIds: [] });
  const groups = {
    folder: new Map<string, string>(),
    tag: new Map<string, string>(),
    owner: new Map<string, string>(),
  };
  for (const dag of nodes.dags) {
    groups.folder.set(dagKey(dag.dag_id), dag.folder || "/");
    groups.tag.set(dagKey(dag.dag_id), dag.tags[0] ?? "");
    groups.owner.set(dagKey(dag.dag_id), dag.owners[0] ?? "");
  }
  return { nodes: all, edges, groups, unrelated: nodes.dags.filter((dag) => !related.has(dagKey(dag.dag_id))).length };
}

/** With more nodes than this the graph folds by itself, whether it could be read or not. */
export const SHOWN_MAX = 150;

/** How to fold a graph that is too large to be read: by what gives the fewest groups of several. */
export function chooseFold(graph: WholeGraph): Exclude<Fold, "none"> {
  const count = (by: Exclude<Fold, "none">) =>
    new Set([...graph.nodes.keys()].flatMap((key) => graph.groups[by].get(key) ?? [])).size;
  return (["folder", "tag", "owner"] as const).find((by) => count(by) > 1 && count(by) <= SHOWN_MAX) ?? "folder";
}

export interface ShownGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** By key of a DAG the open group in which it stands. */
  openGroups?: Map<string, string>;
}

/** The graph with one node for the DAGs of each group that is not open. An asset that only one folded group names is in that group. */
export function foldGraph(
  graph: ShownGraph,
  groups: Map<string, string> | undefined,
  open: ReadonlySet<string>,
): ShownGraph {
  if (!groups) return graph;
  const place = new Map<string, string>();
  const folded = new Map<string, GraphNode>();
  for (const node of graph.nodes) {
    const group = groups.get(node.key);
    if (node.kind !== "dag" || group === undefined || open.has(group)) continue;
    const key = `group ${group}`;
    const found = folded.get(key) ?? { key, kind: "group", name: group, dagIds: [] };
    found.dagIds.push(...node.dagIds);
    found.error ??= node.error;
    folded.set(key, found);
    place.set(node.key, key);
  }
  foldAssets(graph, place);
  const edges = new Map<string, GraphEdge>();
  for (const edge of graph.edges) {
    const from = place.get(edge.from) ?? edge.from;
    const to = place.get(edge.to) ?? edge.to;
    if (from === to && (from !== edge.from || to !== edge.to)) continue;
    const key = `${from}|${to}|${edge.kind}`;
    const known = edges.get(key);
    edges.set(
      key,
      known
        ? {
            ...known,
            count: known.count + edge.count,
            isWrong: known.isWrong || edge.isWrong,
            label: known.label === edge.label ? edge.label : "",
          }
        : { ...edge, from, to },
    );
  }
  return {
    nodes: [...folded.values(), ...graph.nodes.filter((node) => !place.has(node.key))],
    edges: [...edges.values()],
    openGroups: new Map(
      graph.nodes.flatMap(({ key }): [string, string][] => {
        const group = groups.get(key);
        return group !== undefined && open.has(group) ? [[key, group]] : [];
      }),
    ),
  };
}

function foldAssets(graph: ShownGraph, place: Map<string, string>): void {
  const near = new Map<string, Set<string>>();
  for (const { from, to } of graph.edges) {
    for (const [node, other] of [
      [from, to],
      [to, from],
    ] as const) {
      if (!node.startsWith("asset ")) continue;
      near.set(node, (near.get(node) ?? new Set()).add(place.get(other) ?? other));
    }
  }
  for (const [asset, places] of near) {
    const only = places.size === 1 ? [...places][0] : undefined;
    if (only?.startsWith("group ")) place.set(asset, only);
  }
}

/** What comes before a node and what comes after it, with the node itself. */
export function focusGraph(graph: ShownGraph, key: string): ShownGraph {
  const kept = new Set([...reach(graph.edges, key, "from", "to"), ...reach(graph.edges, key, "to", "from")]);
  return {
    nodes: graph.nodes.filter((one) => kept.has(one.key)),
    edges: graph.edges.filter((one) => kept.has(one.from) && kept.has(one.to)),
  };
}

/** The nodes that can be reached by edges in one direction. */
export function reach(edges: GraphEdge[], start: string, from: "from" | "to", to: "from" | "to"): Set<string> {
  const next = new Map<string, string[]>();
  for (const edge of edges) next.set(edge[from], [...(next.get(edge[from]) ?? []), edge[to]]);
  const found = new Set([start]);
  for (const key of found) for (const other of next.get(key) ?? []) found.add(other);
  return found;
}

/** The graph without assets: an edge leads from a DAG that writes one to each DAG that it schedules. */
export function hideAssets(graph: ShownGraph): ShownGraph {
  const isAsset = new Set(
    graph.nodes
      .filter((one) => one.kind === "asset" || one.kind === "alias" || one.kind === "unknown")
      .map((one) => one.key),
  );
  const scheduled = new Map<string, GraphEdge[]>();
  for (const edge of graph.edges)
    if (isAsset.has(edge.from) && edge.kind === "schedules")
      scheduled.set(edge.from, [...(scheduled.get(edge.from) ?? []), edge]);
  const edges = graph.edges.filter((one) => !isAsset.has(one.from) && !isAsset.has(one.to));
  for (const edge of graph.edges) {
    if (edge.kind !== "writes") continue;
    for (const after of scheduled.get(edge.to) ?? [])
      edges.push({ ...after, from: edge.from, label: "", isWrong: edge.isWrong && after.isWrong });
  }
  const kept = new Set(edges.flatMap((one) => [one.from, one.to]));
  return { nodes: graph.nodes.filter((one) => !isAsset.has(one.key) && kept.has(one.key)), edges };
}

const URGENT = ["failed", "running", "queued", "success"];

/** The states of the newest runs of some DAGs, the most urgent first. */
export function countStates(
  dagIds: readonly string[],
  runs: Record<string, [string, string] | string[]> | undefined,
): [string, number][] {
  const counts = new Map<string, number>();
  for (const dagId of dagIds) {
    const state = runs?.[dagId]?.[1];
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => URGENT.indexOf(a) - URGENT.indexOf(b));
}

/** Assets that are older than what they are made of: by key of an asset that one, which has a newer event and is read or waited for by a DAG that writes the asset. */
export function findOutdated(graph: ShownGraph, events: Record<string, string>): Map<string, GraphNode> {
  const nodes = new Map(graph.nodes.map((node) => [node.key, node]));
  const eventOf = (key: string) => {
    const id = nodes.get(key)?.assetId;
    return id === undefined ? undefined : events[id];
  };
  const inputs = new Map<string, string[]>();
  for (const { from, to, kind } of graph.edges)
    if (kind === "reads" || kind === "schedules") inputs.set(to, [...(inputs.get(to) ?? []), from]);
  const outdated = new Map<string, GraphNode>();
  for (const { from, to, kind } of graph.edges) {
    const own = eventOf(to);
    if (kind !== "writes" || own === undefined) continue;
    const newer = inputs
      .get(from)
      ?.find((input) => input !== to && Date.parse(eventOf(input) ?? own) > Date.parse(own));
    const node = newer === undefined ? undefined : nodes.get(newer);
    if (node) outdated.set(to, node);
  }
  return outdated;
}
