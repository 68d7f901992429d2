/** The graph of a DAG as a picture: its nodes with their states and durations in a run. */

import type { Structure } from "../../../api/shapes";
import type { PictureGraph, PictureNode } from "../../../components/graph/picture";
import { stateName } from "../../../components/StateBadge";
import { t, tn } from "../../../state/language";
import { formatDuration } from "../../../state/times";
import { describeCounts, type StateCounts } from "../cellStates";
import { type FoldedGraph, type GraphNode, listGroupPaths } from "./foldGraph";
import { joinSpans, type Span, sumStates } from "./taskStates";

export interface RunFacts {
  states: readonly StateCounts[];
  spans: readonly (Span | undefined)[];
  /** The present, for what still runs. */
  now: number;
}

export function buildPicture(folded: FoldedGraph, facts: RunFacts): PictureGraph {
  return {
    nodes: folded.nodes.map((node) => buildNode(node, facts)),
    edges: folded.edges.map(({ ends, label, isOutside }) => ({ ends, label, kind: isOutside ? "outside" : "" })),
  };
}

function buildNode(node: GraphNode, facts: RunFacts): PictureNode {
  const states = node.kind === "outside" ? [] : sumStates(facts.states, node.tasks);
  return {
    key: node.key,
    name: node.name,
    fullName: node.task?.display_name ?? node.id,
    kind: node.kind === "outside" ? readKind(node.outside?.kind) : node.kind,
    parent: node.parent,
    note: describeNode(node, states, facts),
    states,
    count: countInstances(node, states),
    sign: node.task && describeSign(node.task),
  };
}

function readKind(kind: string | undefined): PictureNode["kind"] {
  return kind === "asset" || kind === "alias" ? kind : "dag";
}

function countInstances(node: GraphNode, states: StateCounts): number {
  return Math.max(
    node.tasks.length,
    states.reduce((sum, [, count]) => sum + count, 0),
  );
}

/** Mapped, setup and teardown tasks have a mark. */
function describeSign(task: Structure["tasks"][number]): string | undefined {
  const signs = [task.is_setup && "⤒", task.is_teardown && "⤓", task.is_mapped && "⊞"].filter(Boolean);
  return signs.length > 0 ? signs.join(" ") : undefined;
}

/** What stands below the name: the states with how long it took, or what the node is. */
function describeNode(node: GraphNode, states: StateCounts, { spans, now }: RunFacts): string {
  if (states.length > 0) {
    const span = node.tasks.map((task) => spans[task]).reduce(joinSpans, undefined);
    const words = describeCounts(states);
    return span ? `${words} · ${formatSpan(span, now)}` : words;
  }
  if (node.kind === "group" || node.kind === "open") return tn("{count} task", "{count} tasks", node.tasks.length);
  if (node.kind === "outside") return node.outside?.kind === "dag" ? t("another DAG") : t("asset");
  const rule = node.task?.trigger_rule;
  return rule && rule !== "all_success" ? rule : (node.task?.operator ?? stateName(null));
}

export function formatSpan({ start, end }: Span, now: number): string {
  const seconds = ((end ?? now) - start) / 1000;
  return formatDuration(Math.max(0, end === undefined ? Math.round(seconds) : seconds));
}

/** The nodes that have the text in their name or their full id, or stand for a task that has it in its id; a node whose name or id is the text comes first. */
export function findMatches({ nodes }: PictureGraph, structure: Structure, find: string): number[] {
  const text = find.trim().toLowerCase();
  if (text === "") return [];
  const paths = listGroupPaths(structure);
  const inside = new Set<string>();
  for (const task of structure.tasks)
    if (typeof task.group === "number" && task.task_id.toLowerCase().includes(text))
      for (const group of paths[task.group] ?? []) inside.add(`group:${structure.groups[group]?.group_id}`);
  const names = nodes.map(({ name, fullName, key }) =>
    [name, fullName ?? "", key.startsWith("task:") ? key.slice(5) : ""].map((one) => one.toLowerCase()),
  );
  const isMatch = (node: PictureNode, at: number) =>
    names[at]?.some((name) => name.includes(text)) || (node.kind === "group" && inside.has(node.key));
  const matches = nodes.flatMap((node, at) => (isMatch(node, at) ? [at] : []));
  return [...matches.filter((at) => names[at]?.includes(text)), ...matches.filter((at) => !names[at]?.includes(text))];
}
