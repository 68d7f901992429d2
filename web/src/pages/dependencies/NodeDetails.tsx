/** The chosen node of the graph in words: its state, what comes before and after it, and where one can go from it. */

import { Link } from "@tanstack/react-router";
import { StateBadge } from "../../components/StateBadge";
import { t, tn } from "../../state/language";
import type { EdgeKind, GraphNode, ShownGraph } from "./graphModel";
import styles from "../../components/graph/graph.module.css";

const NAMED_MAX = 15;
const RUNS_MAX = 10;

export const EDGE_WORDS: Record<EdgeKind, string> = {
  waits: /* text */ "is waited for by",
  triggers: /* text */ "triggers",
  writes: /* text */ "writes",
  schedules: /* text */ "schedules",
  reads: /* text */ "is read by",
  alias: /* text */ "is the alias of",
};

interface NodeDetailsProps {
  graph: ShownGraph;
  node: GraphNode | undefined;
  runs: Record<string, string[] | [string, string]> | undefined;
  canFold: boolean;
  groupOf: Map<string, string> | undefined;
  toggle: (group: string) => void;
  focus: (dagId: string) => void;
  choose: (key: string) => void;
}

export function NodeDetails({ graph, node, runs, canFold, groupOf, toggle, focus, choose }: NodeDetailsProps) {
  if (!node)
    return (
      <div className={`${styles.details} soft`} role="status">
        {t("Choose a node to see what comes before and after it.")}
      </div>
    );
  const group = groupOf?.get(node.key);
  return (
    <div className={styles.details} role="status">
      <p>
        <b className="name">{node.name}</b> {describeKind(node)}{" "}
        {node.kind === "dag" && <NewestRun dagId={node.name} runs={runs} />}
      </p>
      {node.error && <p className="bad">{node.error}</p>}
      <Ends graph={graph} node={node} direction="before" choose={choose} />
      <Ends graph={graph} node={node} direction="after" choose={choose} />
      {node.kind === "group" && (
        <p>
          {node.dagIds.slice(0, RUNS_MAX).map((dagId) => (
            <span key={dagId}>
              <Link to="/dags/$dagId" params={{ dagId }} search={{}} className="name">
                {dagId}
              </Link>{" "}
              <NewestRun dagId={dagId} runs={runs} />{" "}
            </span>
          ))}
        </p>
      )}
      <div className="acts">
        {node.kind === "dag" && (
          <>
            <Link to="/dags/$dagId" params={{ dagId: node.name }} search={{}}>
              {t("Open the DAG")}
            </Link>
            <Link to="/dependencies" search={{ dag: node.name }}>
              {t("Dependencies of a day")}
            </Link>
            <button type="button" onClick={() => focus(node.name)}>
              {t("Only what is around it")}
            </button>
          </>
        )}
        {node.assetId !== undefined && (
          <Link to="/assets/$assetId" params={{ assetId: String(node.assetId) }} search={{}}>
            {t("Open the asset")}
          </Link>
        )}
        {node.kind === "group" && (
          <button type="button" onClick={() => toggle(node.name)}>
            {t("Open the group")}
          </button>
        )}
        {canFold && node.kind === "dag" && group !== undefined && (
          <button type="button" onClick={() => toggle(group)}>
            {t("Fold its group")}
          </button>
        )}
      </div>
    </div>
  );
}

function NewestRun({ dagId, runs }: { dagId: string; runs: NodeDetailsProps["runs"] }) {
  const run = runs?.[dagId];
  if (!run) return <span className="soft">{t("no run")}</span>;
  return (
    <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId: String(run[0]) }}>
      <StateBadge state={run[1]} />
    </Link>
  );
}

function Ends({
  graph,
  node,
  direction,
  choose,
}: {
  graph: ShownGraph;
  node: GraphNode;
  direction: "before" | "after";
  choose: (key: string) => void;
}) {
  const edges = graph.edges.filter((one) => (direction === "before" ? one.to : one.from) === node.key);
  if (edges.length === 0) return null;
  const names = new Map(graph.nodes.map((one) => [one.key, one.name]));
  return (
    <p>
      {direction === "before" ? t("before it:") : t("after it:")}{" "}
      {edges.slice(0, NAMED_MAX).map((edge, at) => {
        const other = direction === "before" ? edge.from : edge.to;
        return (
          <span key={at}>
            {direction === "after" && <span className="soft">{t(EDGE_WORDS[edge.kind])} </span>}
            <button type="button" className="tag name" onClick={() => choose(other)}>
              {names.get(other)}
            </button>
            {direction === "before" && (
              <span className="soft">
                {t(EDGE_WORDS[edge.kind])} {t("it")}{" "}
              </span>
            )}
            {edge.label && <span className="soft">({edge.label}) </span>}
            {edge.count > 1 && <span className="soft">×{edge.count} </span>}
          </span>
        );
      })}
      {edges.length > NAMED_MAX && t("and {count} more", { count: edges.length - NAMED_MAX })}
    </p>
  );
}

function describeKind(node: GraphNode): string {
  switch (node.kind) {
    case "dag":
      return node.paused ? t("DAG, paused") : t("DAG");
    case "asset":
      return t("asset");
    case "alias":
      return t("alias");
    case "group":
      return tn("group of {count} DAG", "group of {count} DAGs", node.dagIds.length);
    case "missing":
      return t("DAG that no file defines");
    case "unknown":
      return t("asset that no file declares");
  }
}
