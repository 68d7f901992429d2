/** The chosen task instance in a pane of its run: its name with a link to its page, its tabs, and the chosen part. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { InstancePlace } from "../../api/places";
import { instanceQuery, runExplanationQuery } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { findNamedTask } from "../../components/causes";
import { isMissing } from "../../components/Missing";
import { StateBadge } from "../../components/StateBadge";
import { t } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { ExternalIcon } from "../../ui/icons";
import { InstanceActs } from "./InstanceActs";
import { InstanceBody, PartTabs } from "./InstanceBody";
import { InstanceFacts } from "./InstanceFacts";
import styles from "./instance.module.css";
import type { TaskView } from "./taskSearch";

export function InstancePane({ at, view, set }: { at: InstancePlace; view: TaskView; set: (view: TaskView) => void }) {
  const instance = useQuery(instanceQuery(at));
  const whyRun = useQuery(runExplanationQuery(at.dagId, at.runId)).data;
  const named = whyRun && findNamedTask(whyRun);
  const isExplained = named?.taskId === at.taskId && named.mapIndex === at.mapIndex;
  if (isMissing(instance.error))
    return (
      <div className={styles.none}>
        <EmptyState isSmall title={t("This task has no instance yet: it has not been scheduled.")} />
      </div>
    );
  return (
    <div className={styles.instance}>
      <Answer query={instance} what={t("the task instance")}>
        {(one) => (
          <>
            <div className={styles.head}>
              <Link
                className={`name ${styles.title}`}
                to="/dags/$dagId/runs/$runId/tasks/$taskId"
                params={at}
                search={at.mapIndex < 0 ? {} : { map: at.mapIndex }}
                title={t("Open the page of the task")}
              >
                <span>{at.mapIndex < 0 ? at.taskId : `${at.taskId} [${one.rendered_map_index ?? at.mapIndex}]`}</span>
                <ExternalIcon size={14} aria-hidden="true" />
              </Link>
              <StateBadge state={one.state} />
              <span className={styles.facts}>
                <InstanceFacts one={one} />
              </span>
              <InstanceActs at={at} one={one} isSmall />
            </div>
            <div className={styles.tabs}>
              <PartTabs view={view} set={set} />
            </div>
            <InstanceBody at={at} one={one} view={view} set={set} isExplained={isExplained} isInside />
          </>
        )}
      </Answer>
    </div>
  );
}
