/** One task instance inside another view: its state, its acts, why it waits, its question, and its parts as tabs. It fills the height that it is given. */

import { useQuery } from "@tanstack/react-query";
import type { InstancePlace } from "../../api/places";
import { instanceQuery } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { StateBadge } from "../../components/StateBadge";
import { t } from "../../state/language";
import { InstanceActs } from "./InstanceActs";
import { InstanceBody, PartTabs } from "./InstanceBody";
import { InstanceFacts } from "./InstanceFacts";
import styles from "./instance.module.css";
import type { TaskView } from "./taskSearch";

export function InstanceView({ at, view, set }: { at: InstancePlace; view: TaskView; set: (view: TaskView) => void }) {
  return (
    <div className={styles.instance}>
      <Answer query={useQuery(instanceQuery(at))} what={t("the task instance")}>
        {(one) => (
          <>
            <div className={styles.head}>
              <StateBadge state={one.state} />
              <span className={styles.facts}>
                <InstanceFacts one={one} />
              </span>
              <InstanceActs at={at} one={one} isSmall />
            </div>
            <PartTabs view={view} set={set} />
            <InstanceBody at={at} one={one} view={view} set={set} isInside />
          </>
        )}
      </Answer>
    </div>
  );
}
