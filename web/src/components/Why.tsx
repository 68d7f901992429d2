/** Why something does not run, or why it ended badly, in one line: the cause, and the act that cures it. All conditions stand below on demand. */

import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Condition, Release } from "../api/runs";
import type { Explanation } from "../api/shapes";
import { t, tn } from "../state/language";
import { Button } from "../ui/Button";
import { ClockIcon, ExpandIcon, InfoIcon, UpIcon, WarningIcon } from "../ui/icons";
import { Failure } from "./Answer";
import { findCauses, readError } from "./causes";
import { ConditionTree, isWaiting } from "./ConditionTree";
import { cutText } from "./LongText";
import { ReleaseButton } from "./ReleaseButton";
import { Sentence, SentenceList } from "./Sentences";
import { useNarrow } from "./useNarrow";
import styles from "./why.module.css";

const ERROR_MAX = 400;
/** What the head of the view says already: that it ended, and when. */
const KNOWN: ReadonlySet<string> = new Set(["run_ended", "task_ended"]);

interface WhyProps {
  query: UseQueryResult<Explanation>;
  dagId: string;
  /** What it is about, inside of a view that has a line of its own. */
  name?: string | undefined;
  /** What else belongs to the line: what did not run because of it. */
  children?: ReactNode;
}

export function Why({ query, dagId, name, children }: WhyProps) {
  const [isOpen, setOpen] = useState(false);
  const isNarrow = useNarrow();
  const explanation = query.data;
  if (query.isError && explanation === undefined)
    return <Failure what={t("the explanation")} error={query.error} retry={() => void query.refetch()} />;
  if (explanation === undefined) return null;
  const unmet = explanation.conditions.filter((one) => !one.met);
  const ended = explanation.coded.find((one) => !one.is_condition && KNOWN.has(one.code));
  const reason = ended && readError(ended);
  const notes = explanation.coded.filter((one) => !one.is_condition && !KNOWN.has(one.code));
  const first = unmet.find((one) => !isWaiting(one)) ?? unmet[0];
  const release = first && findRelease(unmet);
  const line = first ? (
    <Reason explanation={explanation} first={first} hasButton={release !== undefined} />
  ) : (
    (reason && <Error text={reason} />) || (notes[0] && <Sentence {...notes[0]} />)
  );
  if (!line) return null;
  const isBad = first !== undefined && !isWaiting(first);
  const Sign = isBad ? WarningIcon : first ? ClockIcon : InfoIcon;
  const more = first || reason ? notes : notes.slice(1);
  return (
    <section
      className={`${styles.why} ${isBad ? styles.bad : ""}`}
      aria-label={name === undefined ? t("Why") : t("Why: {name}", { name })}
    >
      <div className={styles.line}>
        <Sign size={16} aria-hidden="true" />
        <div className={styles.sentence}>{line}</div>
        {!isNarrow && children}
        {release && <ReleaseButton release={release} dagId={dagId} />}
        {(first || more.length > 0) && (
          <Button
            look="quiet"
            isSmall
            icon={isOpen ? UpIcon : ExpandIcon}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            aria-label={t("All conditions")}
          >
            {isNarrow ? null : t("All conditions")}
          </Button>
        )}
      </div>
      {isOpen && (
        <div className={styles.all}>
          {isNarrow && children}
          <ConditionTree conditions={explanation.conditions} dagId={dagId} />
          {more.length > 0 && <SentenceList sentences={more} />}
        </div>
      )}
    </section>
  );
}

/** The sentence: of an end the error of what failed first; of a wait what is told first. */
function Reason({ explanation, first, hasButton }: { explanation: Explanation; first: Condition; hasButton: boolean }) {
  if (first.kind === "outcome") {
    const [cause, ...others] = findCauses([first]);
    if (cause)
      return (
        <>
          <Link
            className="name strong"
            to="/dags/$dagId/runs/$runId/tasks/$taskId"
            params={{ dagId: cause.dagId, runId: cause.runId, taskId: cause.taskId }}
            search={cause.mapIndex < 0 ? {} : { map: cause.mapIndex }}
          >
            {cause.mapIndex < 0 ? cause.taskId : `${cause.taskId} [${cause.mapIndex}]`}
          </Link>{" "}
          {cause.error ? <Error text={cause.error} /> : t("failed")}
          {others.length > 0 && (
            <span className="soft">
              {" "}
              {tn("and {count} more task failed", "and {count} more tasks failed", others.length)}
            </span>
          )}
        </>
      );
    const error = first.code === "task_ended" ? readError(first) : undefined;
    if (error) return <Error text={error} />;
  }
  const conditions = explanation.coded.filter((one) => one.is_condition);
  const told = conditions.find((one) => !isRunning(one)) ?? conditions[0] ?? first;
  return <Sentence text={told.text} spans={told.spans} hasButton={hasButton} />;
}

/** Whether the sentence tells of a task that runs, while others may wait. */
function isRunning({ code, arguments: values }: Explanation["coded"][number]): boolean {
  return (code === "task_has_wait" ? (values.why as { code?: string } | undefined)?.code : code) === "try_runs";
}

function Error({ text }: { text: string }) {
  return (
    <bdi className={styles.error} title={cutText(text, ERROR_MAX)}>
      {cutText(text, ERROR_MAX)}
    </bdi>
  );
}

/** The act that cures: of a wait the first that is offered. What failed is run again by the first act of the view. */
function findRelease(conditions: readonly Condition[]): Release | undefined {
  for (const one of conditions) {
    if (one.met || one.kind === "outcome") continue;
    const release = one.release ?? findRelease(one.children);
    if (release) return release;
  }
  return undefined;
}
