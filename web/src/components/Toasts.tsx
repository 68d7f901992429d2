/** The messages at the edge of the page. One stays while the pointer or the focus is on it. */

import { useEffect, useState } from "react";
import { runHref } from "../state/addresses";
import { t } from "../state/language";
import { nameRun } from "../state/runNames";
import { useZone } from "../state/times";
import { dropToast, showToast, type Toast, useToasts } from "../state/toasts";
import { PlainLink } from "./PlainLink";
import styles from "./toasts.module.css";

const SHOWN_MS = 10_000;
const RUNS_MAX = 3;

export function Toasts() {
  const toasts = useToasts();
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {toasts.map((one) => (
        <Message key={one.key} toast={one} />
      ))}
    </div>
  );
}

function Message({ toast }: { toast: Toast }) {
  const zone = useZone();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = window.setTimeout(() => dropToast(toast.key), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [held, toast.key]);
  const undo = async () => {
    dropToast(toast.key);
    try {
      await toast.undo?.();
      showToast(t("Undone."));
    } catch (fault) {
      showToast((fault as Error).message, undefined, true);
    }
  };
  return (
    <div
      className={toast.isBad ? `${styles.toast} ${styles.bad}` : styles.toast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>
        {toast.text}
        {toast.runs?.slice(0, RUNS_MAX).map((one) => (
          <span key={`${one.dagId} ${one.runId}`}>
            {" "}
            <PlainLink className="name" href={runHref(one.dagId, one.runId)} title={one.runId}>
              {t("run {run} of {dag}", { run: nameRun(one.runId, zone), dag: one.dagId })}
            </PlainLink>
          </span>
        ))}
        {toast.runs &&
          toast.runs.length > RUNS_MAX &&
          ` ${t("and {count} more", { count: toast.runs.length - RUNS_MAX })}`}
      </span>
      {toast.undo && (
        <button type="button" onClick={() => void undo()}>
          {t("Undo")}
        </button>
      )}
      <button type="button" className="plain" aria-label={t("Close the message")} onClick={() => dropToast(toast.key)}>
        ✕
      </button>
    </div>
  );
}
