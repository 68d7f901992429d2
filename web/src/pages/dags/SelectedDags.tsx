/** What can be done with all DAGs that are selected: a bar at the foot of the window while there are some. */

import { useState } from "react";
import { usePauseMany, useRunMany } from "../../api/manyDags";
import { t, tn } from "../../state/language";
import { Button, IconButton } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { CloseIcon, PauseIcon, RunIcon } from "../../ui/icons";
import styles from "./dags.module.css";

export function SelectedDags({ dagIds, clear }: { dagIds: readonly string[]; clear: () => void }) {
  const pause = usePauseMany();
  const run = useRunMany();
  const [isAsking, setAsking] = useState(false);
  if (dagIds.length === 0) return null;
  const isBusy = pause.isPending || run.isPending;
  return (
    <div className={styles.selected} role="region" aria-label={t("Selected DAGs")}>
      <b role="status">{tn("{count} selected", "{count} selected", dagIds.length)}</b>
      <Button icon={RunIcon} isBusy={isBusy} onClick={() => setAsking(true)}>
        {t("Run")}
      </Button>
      <Button icon={PauseIcon} isBusy={isBusy} onClick={() => pause.mutate({ dagIds, isPaused: true })}>
        {t("Pause")}
      </Button>
      <Button isBusy={isBusy} onClick={() => pause.mutate({ dagIds, isPaused: false })}>
        {t("Unpause")}
      </Button>
      <IconButton icon={CloseIcon} label={t("Select nothing")} onClick={clear} />
      <Dialog
        title={tn("Run {count} DAG now?", "Run {count} DAGs now?", dagIds.length)}
        open={isAsking}
        close={() => setAsking(false)}
        acts={
          <>
            <Button onClick={() => setAsking(false)}>{t("Cancel")}</Button>
            <Button
              look="primary"
              onClick={() => {
                setAsking(false);
                run.mutate(dagIds);
              }}
            >
              {t("Run now")}
            </Button>
          </>
        }
      >
        <p>{t("Each of them gets a run with the defaults of its params:")}</p>
        <ul>
          {dagIds.map((dagId) => (
            <li key={dagId} className="name">
              {dagId}
            </li>
          ))}
        </ul>
      </Dialog>
    </div>
  );
}
