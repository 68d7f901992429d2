/** The chosen DAG, asset or group in words: its state, what comes before and after it, and where one can go from it. */

import { Link } from "@tanstack/react-router";
import type { NodeDetails } from "../../components/graph/pictureProps";
import type { PictureGraph, PictureNode } from "../../components/graph/picture";
import { StateBadge } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";
import { Button, buttonClass } from "../../ui/Button";
import type { DependencyFacts } from "./dependencyPicture";
import { type EdgeKind, findOutdated, type GraphNode, type ShownGraph } from "./graphModel";
import styles from "../../components/graph/nodeDetails.module.css";

const NAMED_MAX = 30;
const RUNS_MAX = 20;

export const EDGE_WORDS: Record<EdgeKind, string> = {
  waits: /* text */ "is waited for by",
  triggers: /* text */ "triggers",
  writes: /* text */ "writes",
  schedules: /* text */ "schedules",
  reads: /* text */ "is read by",
  alias: /* text */ "is the alias of",
};

export interface DetailsProps {
  shown: ShownGraph;
  facts: DependencyFacts;
  groupOf: (key: string) => string | undefined;
  toggle: (group: string) => void;
  focus: (dagId: string) => void;
}

export function describeNode(
  props: DetailsProps,
  at: number,
  graph: PictureGraph,
  choose: (at: number) => void,
): NodeDetails {
  const picture = graph.nodes[at] as PictureNode;
  const node = props.shown.nodes.find(({ key }) => key === picture.key);
  const chooseKey = (key: string) => {
    const other = graph.nodes.findIndex((one) => one.key === key);
    if (other >= 0) choose(other);
  };
  return {
    title: picture.name,
    content: node ? (
      <Facts {...props} node={node} choose={chooseKey} />
    ) : (
      <Button onClick={() => props.toggle(picture.name)}>{t("Fold its group")}</Button>
    ),
  };
}

function Facts({
  shown,
  facts,
  node,
  groupOf,
  toggle,
  focus,
  choose,
}: DetailsProps & { node: GraphNode; choose: (key: string) => void }) {
  const group = groupOf(node.key);
  return (
    <>
      <p className={styles.name}>
        <b className="name">{node.name}</b> <span className="soft">{describeKind(node)}</span>{" "}
        {node.kind === "dag" && <NewestRun dagId={node.name} runs={facts.runs} />}
      </p>
      {node.error && <p className="bad">{node.error}</p>}
      <div className={styles.links}>
        {node.kind === "dag" && (
          <>
            <Link to="/dags/$dagId" params={{ dagId: node.name }} search={{}} className={buttonClass("primary")}>
              {t("Open the DAG")}
            </Link>
            <Link to="/dependencies" search={{ dag: node.name }} className={buttonClass()}>
              {t("Dependencies of a day")}
            </Link>
            <Button onClick={() => focus(node.name)}>{t("Only what is around it")}</Button>
          </>
        )}
        {node.assetId !== undefined && (
          <Link
            to="/assets/$assetId"
            params={{ assetId: String(node.assetId) }}
            search={{}}
            className={buttonClass("primary")}
          >
            {t("Open the asset")}
          </Link>
        )}
        {node.kind === "group" && <Button onClick={() => toggle(node.name)}>{t("Open the group")}</Button>}
        {node.kind === "dag" && group !== undefined && (
          <Button onClick={() => toggle(group)}>{t("Fold its group")}</Button>
        )}
      </div>
      {node.kind === "asset" && <AssetFacts shown={shown} node={node} facts={facts} choose={choose} />}
      <Ends graph={shown} node={node} direction="before" choose={choose} />
      <Ends graph={shown} node={node} direction="after" choose={choose} />
      {node.kind === "group" && (
        <ul className="lines">
          {node.dagIds.slice(0, RUNS_MAX).map((dagId) => (
            <li key={dagId}>
              <Link to="/dags/$dagId" params={{ dagId }} search={{}} className="name">
                {dagId}
              </Link>{" "}
              <NewestRun dagId={dagId} runs={facts.runs} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** When the asset got its newest event, and whether something that it is made of is newer. */
function AssetFacts({
  shown,
  node,
  facts,
  choose,
}: {
  shown: ShownGraph;
  node: GraphNode;
  facts: DependencyFacts;
  choose: (key: string) => void;
}) {
  const at = facts.events?.[node.assetId ?? -1];
  const newer = findOutdated(shown, facts.events ?? {}).get(node.key);
  return (
    <dl className={styles.facts}>
      <dt>{t("Last event")}</dt>
      <dd>{at === undefined ? t("no event yet") : <Time at={at} />}</dd>
      {at !== undefined && (
        <>
          <dt>{t("Freshness")}</dt>
          <dd>
            {newer ? (
              <>
                <span className="bad">{t("older than what it is made of:")}</span>{" "}
                <Button isSmall onClick={() => choose(newer.key)}>
                  {newer.name}
                </Button>
              </>
            ) : (
              <span className="good">{t("not older than what it is made of")}</span>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}

function NewestRun({ dagId, runs }: { dagId: string; runs: DependencyFacts["runs"] }) {
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
    <section className={styles.near}>
      <h2>{direction === "before" ? t("Upstream") : t("Downstream")}</h2>
      {edges.slice(0, NAMED_MAX).map((edge, at) => {
        const other = direction === "before" ? edge.from : edge.to;
        return (
          <div key={at}>
            {direction === "after" && <span className="soft">{t(EDGE_WORDS[edge.kind])} </span>}
            <Button isSmall onClick={() => choose(other)}>
              {names.get(other)}
            </Button>
            {direction === "before" && (
              <span className="soft">
                {t(EDGE_WORDS[edge.kind])} {t("it")}{" "}
              </span>
            )}
            {edge.label && <span className="soft">({edge.label}) </span>}
            {edge.count > 1 && <span className="soft">×{edge.count} </span>}
          </div>
        );
      })}
      {edges.length > NAMED_MAX && t("and {count} more", { count: edges.length - NAMED_MAX })}
    </section>
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
