/** "why?" beside a state that waits: opens the sentences of `explain`, which are asked for only then. */

import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { runExplanationQuery, taskExplanationQuery } from "../api/queries";
import { t } from "../state/language";
import { nameRun } from "../state/runNames";
import { useZone } from "../state/times";
import { AnchoredBox } from "../ui/Popover";
import { Answer } from "./Answer";
import { SentenceList } from "./Sentences";
import styles from "./why.module.css";

const WAITING: readonly string[] = [
  "none",
  "scheduled",
  "queued",
  "up_for_retry",
  "up_for_reschedule",
  "deferred",
  "awaiting_input",
];

export interface WhyPlace {
  dagId: string;
  runId: string;
  /** Undefined: the run itself. */
  taskId?: string;
  mapIndex?: number;
}

/** Nothing for a state that does not wait. */
export function WhyButton({ state, ...place }: WhyPlace & { state: string | null | undefined }) {
  return WAITING.includes(state ?? "none") && <Opener {...place} />;
}

function Opener(place: WhyPlace) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const zone = useZone();
  const name =
    place.taskId === undefined
      ? nameRun(place.runId, zone)
      : `${place.taskId}${(place.mapIndex ?? -1) < 0 ? "" : ` [${place.mapIndex}]`}`;
  return (
    <>
      <button
        type="button"
        ref={button}
        className={styles.opener}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={t("why does {name} wait?", { name })}
        onClick={() => setOpen(!isOpen)}
      >
        {t("why?")}
      </button>
      {isOpen && (
        <AnchoredBox
          anchor={button}
          label={t("Why {name} waits", { name })}
          className={styles.text}
          close={() => setOpen(false)}
        >
          <Reasons {...place} />
        </AnchoredBox>
      )}
    </>
  );
}

function Reasons({ dagId, runId, taskId, mapIndex = -1 }: WhyPlace) {
  const ofRun = useQuery({ ...runExplanationQuery(dagId, runId), retryOnMount: true, enabled: taskId === undefined });
  const ofTask = useQuery({
    ...taskExplanationQuery({ dagId, runId, taskId: taskId ?? "", mapIndex }),
    retryOnMount: true,
    enabled: taskId !== undefined,
  });
  return (
    <Answer query={taskId === undefined ? ofRun : ofTask} what={t("the explanation")}>
      {(found) =>
        found.coded.length > 0 ? (
          <SentenceList sentences={found.coded} />
        ) : (
          <p>
            {taskId === undefined
              ? t("Nothing prevents this run from going on.")
              : t("Nothing prevents this task from running.")}
          </p>
        )
      }
    </Answer>
  );
}
