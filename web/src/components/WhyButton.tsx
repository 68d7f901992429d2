/** "why?" beside a state that waits: opens the sentences of `explain`, which are asked for only then. */

import { useQuery } from "@tanstack/react-query";
import { type ToggleEvent, useId, useRef, useState } from "react";
import { runExplanationQuery, taskExplanationQuery } from "../api/queries";
import { t } from "../state/language";
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
const WIDTH_MAX = 420;
const EDGE = 8;

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
  const id = useId();
  const name =
    place.taskId === undefined
      ? place.runId
      : `${place.taskId}${(place.mapIndex ?? -1) < 0 ? "" : ` [${place.mapIndex}]`}`;
  const move = (event: ToggleEvent<HTMLDivElement>) => {
    if (event.newState === "open" && button.current) movePopover(event.currentTarget, button.current);
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        className={styles.button}
        popoverTarget={id}
        aria-expanded={isOpen}
        aria-label={t("why does {name} wait?", { name })}
      >
        {t("why?")}
      </button>
      <div
        id={id}
        popover="auto"
        className={styles.text}
        role="dialog"
        aria-label={t("Why {name} waits", { name })}
        onBeforeToggle={move}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {isOpen && <Reasons {...place} />}
      </div>
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

/** Below the button, or above it where there is more room. The element is in the top layer, so that no list around it cuts it off. */
function movePopover(popover: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const width = Math.min(WIDTH_MAX, window.innerWidth - 2 * EDGE);
  const isLow = at.bottom > window.innerHeight / 2;
  popover.style.maxWidth = `${width}px`;
  popover.style.left = `${Math.max(EDGE, Math.min(at.left, window.innerWidth - width - EDGE))}px`;
  popover.style.top = isLow ? "auto" : `${at.bottom + 4}px`;
  popover.style.bottom = isLow ? `${window.innerHeight - at.top + 4}px` : "auto";
  popover.style.maxHeight = `${(isLow ? at.top : window.innerHeight - at.bottom) - 2 * EDGE}px`;
}
