/** The chosen node of a DAG in words: its states and why, how long it took, its task, what comes before and after it, and the ways to its log and its page. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { instanceQuery } from "../../../api/queries";
import type { OutsideNode, Structure, StructureTask } from "../../../api/shapes";
import type { NodeDetails } from "../../../components/graph/pictureProps";
import { Neighbours } from "../../../components/graph/Neighbours";
import type { PictureGraph, PictureNode } from "../../../components/graph/picture";
import { StateBadge } from "../../../components/StateBadge";
import { Time } from "../../../components/Time";
import { WhyButton } from "../../../components/WhyButton";
import { t } from "../../../state/language";
import { Button, buttonClass } from "../../../ui/Button";
import { CopyName } from "../CopyName";
import { formatSpan, type RunFacts } from "./taskPicture";
import styles from "../../../components/graph/nodeDetails.module.css";

export interface DetailsProps {
  structure: Structure;
  runId: string | undefined;
  facts: RunFacts;
  toggle: (node: PictureNode, graph: PictureGraph) => void;
}

export function describeNode(
  { structure, runId, facts, toggle }: DetailsProps,
  at: number,
  graph: PictureGraph,
  choose: (at: number) => void,
): NodeDetails {
  const node = graph.nodes[at] as PictureNode;
  const index = structure.tasks.findIndex((task) => node.key === `task:${task.task_id}`);
  const task = structure.tasks[index];
  const outside = node.key.startsWith("outside:") ? structure.outside[Number(node.key.slice(8))] : undefined;
  const span = facts.spans[index];
  return {
    title: task?.display_name ?? node.name,
    content: (
      <>
        <p className={styles.name}>
          <b className="name">{task?.task_id ?? node.fullName ?? node.name}</b>{" "}
          <CopyName name={task?.task_id ?? node.fullName ?? node.name} />
        </p>
        {node.states.length > 0 && (
          <p className={styles.states}>
            {node.states.map(([state, count]) => (
              <span key={state}>
                {count > 1 && count} <StateBadge state={state} />{" "}
                {task && runId !== undefined && (
                  <WhyButton
                    dagId={structure.dag_id}
                    runId={runId}
                    taskId={task.is_mapped ? undefined : task.task_id}
                    state={state}
                  />
                )}
              </span>
            ))}
          </p>
        )}
        <Links structure={structure} runId={runId} task={task} outside={outside} />
        {(node.kind === "group" || node.kind === "open") && (
          <Button onClick={() => toggle(node, graph)}>
            {node.kind === "group" ? t("Open the group") : t("Fold the group")}
          </Button>
        )}
        <dl className={styles.facts}>
          {span && (
            <>
              <dt>{t("Duration")}</dt>
              <dd>{formatSpan(span, facts.now)}</dd>
              <dt>{t("Started")}</dt>
              <dd>
                <Time at={new Date(span.start).toISOString()} />
              </dd>
              {span.end !== undefined && (
                <>
                  <dt>{t("Ended")}</dt>
                  <dd>
                    <Time at={new Date(span.end).toISOString()} />
                  </dd>
                </>
              )}
            </>
          )}
          {task && <TaskFacts task={task} />}
          {task && !task.is_mapped && runId !== undefined && node.states.length > 0 && (
            <InstanceFacts dagId={structure.dag_id} runId={runId} taskId={task.task_id} />
          )}
        </dl>
        <Neighbours graph={graph} at={at} choose={choose} />
      </>
    ),
  };
}

function TaskFacts({ task }: { task: StructureTask }) {
  const kinds = [task.is_mapped && t("mapped"), task.is_setup && t("setup"), task.is_teardown && t("teardown")];
  return (
    <>
      <dt>{t("Operator")}</dt>
      <dd>{[task.operator, ...kinds].filter(Boolean).join(", ")}</dd>
      <dt>{t("Trigger rule")}</dt>
      <dd>{task.trigger_rule ?? "all_success"}</dd>
    </>
  );
}

function InstanceFacts({ dagId, runId, taskId }: { dagId: string; runId: string; taskId: string }) {
  const instance = useQuery(instanceQuery({ dagId, runId, taskId, mapIndex: -1 })).data;
  if (!instance) return null;
  return (
    <>
      <dt>{t("Try")}</dt>
      <dd>{t("{number} of {most}", { number: instance.try_number, most: instance.max_tries + 1 })}</dd>
      <dt>{t("Pool")}</dt>
      <dd className="name">{instance.pool}</dd>
      {instance.queue && (
        <>
          <dt>{t("Queue")}</dt>
          <dd className="name">{instance.queue}</dd>
        </>
      )}
    </>
  );
}

function Links({
  structure: { dag_id: dagId },
  runId,
  task,
  outside,
}: {
  structure: Structure;
  runId: string | undefined;
  task: StructureTask | undefined;
  outside: OutsideNode | undefined;
}) {
  const place = { to: "/dags/$dagId/runs/$runId/tasks/$taskId" } as const;
  const params = { dagId, runId: runId ?? "", taskId: task?.task_id ?? "" };
  return (
    <p className={styles.links}>
      {task && runId !== undefined && (
        <>
          <Link {...place} params={params} search={{}} className={buttonClass("primary")}>
            {task.is_mapped ? t("Open the task") : t("Log")}
          </Link>
          <Link {...place} params={params} search={{ part: "tries" }} className={buttonClass()}>
            {t("Tries")}
          </Link>
          <Link {...place} params={params} search={{ part: "details" }} className={buttonClass()}>
            {t("Details")}
          </Link>
        </>
      )}
      {outside?.kind === "dag" && (
        <Link to="/dags/$dagId/graph" params={{ dagId: outside.name }} search={{}} className={buttonClass()}>
          {t("Open the DAG")}
        </Link>
      )}
      {outside && outside.kind !== "dag" && (
        <Link to="/dependencies/graph" search={{ find: outside.name }} className={buttonClass()}>
          {t("Show it in the graph of DAGs and assets")}
        </Link>
      )}
    </p>
  );
}
