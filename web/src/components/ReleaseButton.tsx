/** The act that meets a condition, after the user has read exactly what it does. */

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { findReleaseRequest, type Release, useRunChange } from "../api/runs";
import { t } from "../state/language";
import { showRunToast, showToast } from "../state/toasts";
import { Button, buttonClass } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Act } from "./Act";
import { Refusal } from "./Answer";
import { describeRelease } from "./releaseWords";

export function ReleaseButton({ release, dagId }: { release: Release; dagId: string }) {
  const [isAsked, setAsked] = useState(false);
  const send = findReleaseRequest(release);
  const close = () => setAsked(false);
  // The message is sent by the request itself: the condition, and this button with it, can be gone before the answer of the server is there.
  const act = useRunChange(release.dag_id ?? dagId, async () => {
    await send?.();
    say(release);
  });
  const words = describeRelease(release);
  if (release.act === "answer")
    return (
      <Link
        className={buttonClass("plain", true)}
        to="/dags/$dagId/runs/$runId/tasks/$taskId"
        params={{ dagId: release.dag_id ?? "", runId: release.run_id ?? "", taskId: release.task_id ?? "" }}
        search={{ map: release.map_index < 0 ? undefined : release.map_index }}
        hash="question"
      >
        {words.button}
      </Link>
    );
  if (!send) return <span className="soft"> · {words.effect}</span>;
  return (
    <Act dagId={release.dag_id ?? dagId}>
      <Button isSmall isBusy={act.isPending} onClick={() => setAsked(true)}>
        {words.button} …
      </Button>
      {isAsked && (
        <Dialog
          title={words.button}
          open
          close={close}
          acts={
            <>
              <Button onClick={close}>{t("Cancel")}</Button>
              <Button
                look="primary"
                autoFocus
                isBusy={act.isPending}
                onClick={() => act.mutate(undefined, { onSuccess: close })}
              >
                {t("Do it")}
              </Button>
            </>
          }
        >
          <p role="group" aria-label={t("What this does")} className="name">
            {words.effect}
          </p>
          {act.isError && <Refusal error={act.error} />}
        </Dialog>
      )}
    </Act>
  );
}

/** What was done; with a link to the run that it touched, if it was one. */
function say(release: Release): void {
  const text = t("Done: {effect}", { effect: describeRelease(release).effect });
  if (release.dag_id && release.run_id) showRunToast(text, [{ dagId: release.dag_id, runId: release.run_id }]);
  else showToast(text);
}
