/** A backfill with its progress; one that has not ended can be paused, continued and cancelled. */

import { Act } from "./Act";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Backfill, useChangeBackfill } from "../api/across";
import { t, tn } from "../state/language";
import { Button } from "../ui/Button";
import { PauseIcon, RunIcon } from "../ui/icons";
import { Refusal } from "./Answer";
import { Time } from "./Time";
import styles from "./backfill.module.css";

export const BACKFILL_STATES: [Backfill["state"], string][] = [
  ["planning", /* text */ "planning"],
  ["running", /* text */ "running"],
  ["paused", /* text */ "paused"],
  ["cancelled", /* text */ "cancelled"],
  ["complete", /* text */ "complete"],
];

export function BackfillItem({ backfill }: { backfill: Backfill }) {
  const hasEnded = backfill.state === "complete" || backfill.state === "cancelled";
  const waits = backfill.is_dag_paused && (backfill.state === "running" || backfill.state === "planning");
  const state = waits ? "paused" : backfill.state;
  const words = BACKFILL_STATES.find(([name]) => name === backfill.state)?.[1] ?? backfill.state;
  return (
    <li>
      <div className={styles.head}>
        <Link className="name strong" to="/dags/$dagId" params={{ dagId: backfill.dag_id }} search={{}}>
          {backfill.dag_id}
        </Link>
        <span className={`badge ${styles[state]}`}>{waits ? t("waits: the DAG is paused") : t(words)}</span>
        <span>
          <Time at={backfill.from_date} /> – <Time at={backfill.to_date} />
        </span>
        <span className="soft">
          {tn("{count} run at a time", "{count} runs at a time", backfill.max_active_runs)}
          {backfill.run_backwards ? ` · ${t("newest first")}` : ""}
        </span>
        <span className={`soft ${styles.origin}`}>
          {t("backfill {id} by {user},", { id: backfill.backfill_id, user: backfill.created_by })}{" "}
          <Time at={backfill.created_at} />
        </span>
        <Link to="/runs" search={{ dag_id: backfill.dag_id, type: ["backfill"] }}>
          {t("Runs of backfills of this DAG")}
        </Link>
        {!hasEnded && (
          <Act dagId={backfill.dag_id}>
            <BackfillActs backfill={backfill} />
          </Act>
        )}
      </div>
      <Progress backfill={backfill} />
      {Object.keys(backfill.dag_run_conf).length > 0 && (
        <pre tabIndex={0}>{JSON.stringify(backfill.dag_run_conf, null, 2)}</pre>
      )}
      {backfill.error && <p className="notice">{backfill.error}</p>}
    </li>
  );
}

function Progress({ backfill }: { backfill: Backfill }) {
  const parts: [string, number, string][] = [
    ["success", backfill.success, t("{count} success", { count: backfill.success })],
    ["failed", backfill.failed, t("{count} failed", { count: backfill.failed })],
    ["left", backfill.left, t("{count} left as they were", { count: backfill.left })],
    ["running", backfill.running, t("{count} running", { count: backfill.running })],
    ["queued", backfill.queued, t("{count} queued", { count: backfill.queued })],
  ];
  const ended = backfill.success + backfill.failed + backfill.left;
  const total = Math.max(backfill.slots, ended, 1);
  const label = t("{ended} of {slots} slots finished", { ended, slots: backfill.slots });
  return (
    <div className={styles.line}>
      <div
        className={styles.progress}
        role="progressbar"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={ended}
        aria-label={label}
      >
        {parts
          .filter(([, count]) => count > 0)
          .map(([name, count]) => (
            <span key={name} className={styles[`part-${name}`]} style={{ width: `${(count / total) * 100}%` }} />
          ))}
      </div>
      <span className="soft">
        {[label, ...parts.filter(([, count]) => count > 0).map(([, , text]) => text)].join(" · ")}
      </span>
    </div>
  );
}

function BackfillActs({ backfill }: { backfill: Backfill }) {
  const change = useChangeBackfill(backfill.backfill_id);
  const [asks, setAsks] = useState(false);
  const isPaused = backfill.state === "paused";
  return (
    <div className="acts">
      <Button
        isSmall
        isBusy={change.isPending}
        icon={isPaused ? RunIcon : PauseIcon}
        onClick={() => change.mutate(isPaused ? "unpause" : "pause")}
      >
        {isPaused ? t("Continue") : t("Pause")}
      </Button>
      {asks ? (
        <>
          <span>{t("Its queued runs end as failed; running ones continue.")}</span>
          <Button
            isSmall
            look="danger"
            isBusy={change.isPending}
            onClick={() => change.mutate("cancel", { onSettled: () => setAsks(false) })}
          >
            {t("Cancel the backfill")}
          </Button>
          <Button isSmall onClick={() => setAsks(false)}>
            {t("Keep it")}
          </Button>
        </>
      ) : (
        <Button isSmall onClick={() => setAsks(true)}>
          {t("Cancel …")}
        </Button>
      )}
      {change.isError && <Refusal error={change.error} />}
    </div>
  );
}
