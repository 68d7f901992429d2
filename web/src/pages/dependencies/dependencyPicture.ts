/** The graph of DAGs and assets as a picture: DAGs with the state of their newest run, assets with their newest event. */

import type { PictureGraph, PictureNode } from "../../components/graph/picture";
import { stateName } from "../../components/StateBadge";
import { t, tn } from "../../state/language";
import { formatDuration } from "../../state/times";
import { countStates, findOutdated, type GraphNode, type ShownGraph } from "./graphModel";

export interface DependencyFacts {
  runs: Record<string, string[] | [string, string]> | undefined;
  /** By id of an asset when it got its newest event; undefined: not known yet. */
  events: Record<string, string> | undefined;
  now: number;
}

export function buildPicture(shown: ShownGraph, facts: DependencyFacts): PictureGraph {
  const outdated = findOutdated(shown, facts.events ?? {});
  const groups = [...new Set(shown.openGroups?.values())];
  const nodes: PictureNode[] = groups.map((name) => {
    const dagIds = shown.nodes.flatMap(({ key, dagIds: own }) => (shown.openGroups?.get(key) === name ? own : []));
    return {
      key: `open ${name}`,
      name,
      kind: "open",
      parent: null,
      note: tn("{count} DAG", "{count} DAGs", dagIds.length),
      states: [],
    };
  });
  const places = new Map<string, number>();
  for (const node of shown.nodes) {
    const group = shown.openGroups?.get(node.key);
    places.set(node.key, nodes.length);
    nodes.push({
      key: node.key,
      name: node.name || t("(none)"),
      kind: node.kind,
      parent: group === undefined ? null : groups.indexOf(group),
      note: describeNode(node, facts, outdated.get(node.key)),
      states: countStates(node.dagIds, facts.runs),
      count: node.dagIds.length,
      isDashed: node.paused,
      isWrong: node.error !== undefined,
    });
  }
  return {
    nodes,
    edges: shown.edges.map(({ from, to, kind, isWrong }) => ({
      ends: [places.get(from) as number, places.get(to) as number],
      kind,
      label: "",
      isWrong,
    })),
  };
}

function describeNode(node: GraphNode, facts: DependencyFacts, newer: GraphNode | undefined): string {
  switch (node.kind) {
    case "group":
      return tn("{count} DAG", "{count} DAGs", node.dagIds.length);
    case "dag": {
      const state = facts.runs?.[node.name]?.[1];
      const words = state === undefined ? t("no run") : stateName(state);
      return node.paused ? `${words} · ${t("paused")}` : words;
    }
    case "asset":
      return describeAsset(node, facts, newer);
    case "alias":
      return t("alias");
    case "missing":
      return t("no file defines it");
    case "unknown":
      return t("no file declares it");
  }
}

function describeAsset(node: GraphNode, { events, now }: DependencyFacts, newer: GraphNode | undefined): string {
  if (!events) return t("asset");
  const at = events[node.assetId ?? -1];
  if (at === undefined) return t("no event yet");
  const ago = t("{span} ago", { span: formatAge(at, now) });
  return newer ? `${ago} · ${t("older than {name}", { name: newer.name })}` : ago;
}

function formatAge(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  return formatDuration(seconds < 60 ? seconds : Math.round(seconds / 60) * 60);
}
