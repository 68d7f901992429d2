/** The chosen node in words: its whole name, its states, what comes before and after it, and the way to its page. */

import { Link } from "@tanstack/react-router";
import type { Structure } from "../../../api/shapes";
import { StateBadge } from "../../../components/StateBadge";
import { WhyButton } from "../../../components/WhyButton";
import { t } from "../../../state/language";
import type { StateCounts } from "../cellStates";
import { CopyName } from "../CopyName";
import { type FoldedGraph, findReach, type GraphNode } from "./foldGraph";
import { sumStates } from "./nodeStates";
import styles from "../../../components/graph/graph.module.css";

const NAMES_MAX = 12;

export interface NodeFactsProps {
  graph: FoldedGraph;
  at: number | undefined;
  structure: Structure;
  runId: string | undefined;
  states: StateCounts[];
  toggle: (group: string) => void;
  choose: (at: number) => void;
}

export function NodeFacts({ graph, at, structure, runId, states, toggle, choose }: NodeFactsProps) {
  const node = at === undefined ? undefined : graph.nodes[at];
  return (
    <div className={styles.details} role="region" aria-label={t("The chosen node")} aria-live="polite">
      {node === undefined ? (
        <p className="soft">{t("Choose a node to see what comes before and after it.")}</p>
      ) : (
        <Facts
          graph={graph}
          node={node}
          at={at as number}
          structure={structure}
          runId={runId}
          states={states}
          toggle={toggle}
          choose={choose}
        />
      )}
    </div>
  );
}

function Facts({
  graph,
  node,
  at,
  structure,
  runId,
  states,
  toggle,
  choose,
}: NodeFactsProps & { node: GraphNode; at: number }) {
  const reach = findReach(graph, at);
  const before = graph.edges.flatMap(({ ends }) => (ends[1] === at ? [ends[0]] : []));
  const after = graph.edges.flatMap(({ ends }) => (ends[0] === at ? [ends[1]] : []));
  return (
    <>
      <p>
        <b className="name">{node.task?.task_id ?? node.name}</b> <CopyName name={node.task?.task_id ?? node.name} />{" "}
        {sumStates(states, node.tasks).map(([state, count]) => (
          <span key={state}>
            {count > 1 && count} <StateBadge state={state} />{" "}
            {node.task && runId !== undefined && (
              <WhyButton
                dagId={structure.dag_id}
                runId={runId}
                taskId={node.task.is_mapped ? undefined : node.task.task_id}
                state={state}
              />
            )}{" "}
          </span>
        ))}
      </p>
      {node.task && (
        <p className="soft">
          {node.task.operator}
          {node.task.trigger_rule ? `, ${t("trigger rule {rule}", { rule: node.task.trigger_rule })}` : ""}
          {node.task.is_mapped ? `, ${t("mapped")}` : ""}
          {node.task.is_setup ? `, ${t("setup")}` : ""}
          {node.task.is_teardown ? `, ${t("teardown")}` : ""}
        </p>
      )}
      <Neighbours label={t("Upstream")} graph={graph} nodes={before} all={reach.upstream.size} choose={choose} />
      <Neighbours label={t("Downstream")} graph={graph} nodes={after} all={reach.downstream.size} choose={choose} />
      <p>
        {node.task && runId !== undefined && (
          <Link
            to="/dags/$dagId/runs/$runId/tasks/$taskId"
            params={{ dagId: structure.dag_id, runId, taskId: node.task.task_id }}
            search={{}}
          >
            {t("Open the task")}
          </Link>
        )}
        {(node.kind === "group" || node.kind === "open") && (
          <button type="button" onClick={() => toggle(node.name)}>
            {node.kind === "group" ? t("Open the group") : t("Fold the group")}
          </button>
        )}
        {node.outside?.kind === "dag" && (
          <Link to="/dags/$dagId/graph" params={{ dagId: node.outside.name }} search={{}}>
            {t("Open the DAG")}
          </Link>
        )}
      </p>
    </>
  );
}

function Neighbours({
  label,
  graph,
  nodes,
  all,
  choose,
}: {
  label: string;
  graph: FoldedGraph;
  nodes: number[];
  all: number;
  choose: (at: number) => void;
}) {
  return (
    <p>
      {t("{label}: {near} next to it, {all} in all", { label, near: nodes.length, all })}{" "}
      {nodes.slice(0, NAMES_MAX).map((at) => (
        <button key={at} type="button" className="tag name" onClick={() => choose(at)}>
          {graph.nodes[at]?.name}
        </button>
      ))}
    </p>
  );
}
