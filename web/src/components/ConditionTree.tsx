/** The conditions of a run or a task as a tree: what is met, what is not, since when, and the button that releases. */

import { useState } from "react";
import type { Condition } from "../api/runs";
import { t, tn } from "../state/language";
import { ReleaseButton } from "./ReleaseButton";
import { Sentence } from "./Sentences";
import { Time } from "./Time";
import styles from "./condition.module.css";

interface ConditionTreeProps {
  conditions: readonly Condition[];
  dagId: string;
}

export function ConditionTree({ conditions, dagId }: ConditionTreeProps) {
  const [isWhole, setWhole] = useState(false);
  const met = conditions.filter((one) => one.met);
  const unmet = conditions.filter((one) => !one.met);
  if (conditions.length === 0) return null;
  return (
    <div className={styles.tree}>
      {unmet.length > 0 && <List conditions={unmet} dagId={dagId} />}
      {met.length > 0 && (
        <button type="button" className="plain" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "▾" : "▸"} {tn("{count} condition is met", "{count} conditions are met", met.length)}
        </button>
      )}
      {isWhole && <List conditions={met} dagId={dagId} />}
    </div>
  );
}

function List({ conditions, dagId }: ConditionTreeProps) {
  return (
    <ul className={styles.list}>
      {conditions.map((one, at) => (
        <Item key={`${one.kind} ${at}`} condition={one} dagId={dagId} />
      ))}
    </ul>
  );
}

function Item({ condition, dagId }: { condition: Condition; dagId: string }) {
  return (
    <li
      className={condition.met ? styles.met : isWaiting(condition) ? `${styles.unmet} ${styles.waiting}` : styles.unmet}
    >
      <span className={styles.mark} aria-hidden="true">
        {condition.met ? "✓" : isWaiting(condition) ? "…" : "✕"}
      </span>
      <span className="unseen">{condition.met ? t("met:") : t("not met:")}</span>{" "}
      <span className="name">
        <Sentence text={condition.text} spans={condition.spans} />
      </span>
      {condition.since && !namesInstant(condition, condition.since) && (
        <span className="soft">
          {" "}
          · {t("since")} <Time at={condition.since} />
        </span>
      )}
      {condition.release && (
        <>
          {" "}
          <ReleaseButton release={condition.release} dagId={dagId} />
        </>
      )}
      {condition.children.length > 0 &&
        (condition.met ? (
          <List conditions={condition.children} dagId={dagId} />
        ) : (
          <ConditionTree conditions={condition.children} dagId={dagId} />
        ))}
    </li>
  );
}

/** Kinds of conditions that stay unmet until a person acts: what has failed, and what can never start. */
const STUCK: ReadonlySet<string> = new Set([
  "outcome",
  "pool_exists",
  "pool_size",
  "dag_active",
  "scheduler",
  "file_loads",
  "planning",
  "dependencies",
]);

/** Codes of sentences about what can never start: of the condition, or of the reason inside a sentence about a task. */
const NEVER: ReadonlySet<string> = new Set(["pool_is_too_small"]);

/** The code of the reason: that of the sentence, or inside a sentence about a task that of the phrase behind the name. */
function findCode({ code, arguments: { why } }: Pick<Condition, "code" | "arguments">): string {
  return code === "task_has_wait" ? (why as { code: string }).code : code;
}

/** Whether the sentence has the instant already. */
function namesInstant({ spans }: Pick<Condition, "spans">, at: string): boolean {
  return spans.some((one) => one.kind === "instant" && one.text.startsWith(at.slice(0, 19)));
}

/** Whether time or other work meets the condition. A task that has failed, and can be cleared, does not. */
export function isWaiting(condition: Pick<Condition, "kind" | "met" | "release" | "code" | "arguments">): boolean {
  return (
    !condition.met &&
    !STUCK.has(condition.kind) &&
    !NEVER.has(findCode(condition)) &&
    condition.release?.act !== "clear_task" &&
    condition.release?.act !== "clear_run"
  );
}
