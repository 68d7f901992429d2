/** An act before it is done: its scope is set, and what it touches is listed. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { type ActName, type ActScope, type ActTarget, doAct, previewAct, type Touched } from "../api/acts";
import { useRunChange } from "../api/runs";
import { t, tn } from "../state/language";
import { nameRun } from "../state/runNames";
import { readZone, useZone } from "../state/times";
import { showRunToast, showToast } from "../state/toasts";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Answer, Refusal } from "./Answer";
import { StateBadge, stateName } from "./StateBadge";
import { useVersionChoice, VersionChoice } from "./VersionChoice";
import styles from "./actDialog.module.css";

export interface ActChoice {
  act: ActName;
  label: string;
  scope: ActScope;
  /** What the button says that does it, if not the words of the act. */
  confirm?: string;
}

const SCOPES: Record<keyof ActScope, string> = {
  upstream: /* text */ "upstream tasks",
  downstream: /* text */ "downstream tasks",
  past: /* text */ "earlier runs",
  future: /* text */ "later runs",
  onlyFailed: /* text */ "only failed ones",
  group: /* text */ "the whole group",
  allIndexes: /* text */ "all map indexes",
  otherDags: /* text */ "runs of other DAGs that waited for it",
};
const CLEAR_ONLY: readonly string[] = ["onlyFailed", "otherDags"];
const SHOWN_MAX = 200;

interface ActDialogProps {
  target: ActTarget;
  choice: ActChoice;
  /** The parts of the scope that can be chosen for this target. */
  scopes: readonly (keyof ActScope)[];
  close: () => void;
  onDone: () => void;
}

export function ActDialog({ target, choice, scopes, close, onDone }: ActDialogProps) {
  const [scope, setScope] = useState<ActScope>(choice.scope);
  const [isNewestChosen, chooseNewest] = useState<boolean>();
  const version = useVersionChoice(target, scope, isNewestChosen);
  const preview = useQuery({
    queryKey: ["dag", target.dagId, "run", target.runId, "preview", choice.act, target, scope],
    queryFn: () => previewAct(choice.act, target, scope),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const rows = preview.data;
  const act = useRunChange(target.dagId, async (touched: readonly Touched[]) => {
    await doAct(choice.act, target, scope, version.isNewest);
    say(choice.act, target, touched);
    close();
    onDone();
  });
  const offered = scopes.filter(
    (one) => choice.act !== "delete" && (choice.act === "clear" || !CLEAR_ONLY.includes(one)),
  );
  return (
    <Dialog
      title={t(choice.label)}
      open
      close={close}
      acts={
        <>
          <Button onClick={close}>{t("Cancel")}</Button>
          {rows && (rows.length > 0 || choice.act === "delete") && (
            <Button
              look={choice.act === "delete" ? "danger" : "primary"}
              autoFocus={choice.act !== "delete"}
              isBusy={act.isPending}
              disabled={preview.isPlaceholderData}
              onClick={() => act.mutate(rows)}
            >
              {choice.confirm === undefined ? confirmText(choice.act) : t(choice.confirm)}
            </Button>
          )}
        </>
      }
    >
      <div role="group" aria-label={t("What the act touches")}>
        {offered.length > 0 && (
          <div className={styles.scopes}>
            <span>{t("with:")}</span>
            {offered.map((one) => (
              <label key={one}>
                <input
                  type="checkbox"
                  checked={scope[one] ?? false}
                  onChange={(event) => setScope({ ...scope, [one]: event.target.checked })}
                />{" "}
                {t(SCOPES[one])}
              </label>
            ))}
          </div>
        )}
        {choice.act === "clear" && <VersionChoice {...version} choose={chooseNewest} />}
        <Answer query={preview} what={t("the preview")}>
          {(found) => (
            <>
              {found.length === 0 && <p>{t("Nothing would change.")}</p>}
              {groupByFate(choice.act, found).map(([fate, some]) => (
                <Fragment key={fate}>
                  <p>{describe(fate, some)}</p>
                  <TouchedList rows={some} ownRun={target.runId} />
                </Fragment>
              ))}
            </>
          )}
        </Answer>
        {act.isError && <Refusal error={act.error} />}
      </div>
    </Dialog>
  );
}

/** What was done, with links to the runs that were touched, that of the page first. */
function say(act: ActName, target: ActTarget, rows: readonly Touched[]): void {
  if (act === "delete")
    return showToast(
      t("The run {run} of {dag} is deleted.", { run: nameRun(target.runId, readZone()), dag: target.dagId }),
    );
  const others = new Map(rows.map((row) => [`${row.dagId} ${row.runId}`, { dagId: row.dagId, runId: row.runId }]));
  const own = others.get(`${target.dagId} ${target.runId}`);
  const runs = [...(own ? [own] : []), ...[...others.values()].filter((one) => one !== own)];
  showRunToast(describeDone(act, rows.filter((row) => (row.becomes ?? act) === act).length), runs);
}

/** The rows by what becomes of them, what the act says first. */
function groupByFate(act: ActName, rows: readonly Touched[]): [ActName, Touched[]][] {
  const groups = new Map<ActName, Touched[]>();
  for (const row of rows) groups.set(row.becomes ?? act, [...(groups.get(row.becomes ?? act) ?? []), row]);
  return [...groups];
}

function TouchedList({ rows, ownRun }: { rows: readonly Touched[]; ownRun: string }) {
  const zone = useZone();
  const runs = new Map<string, Touched[]>();
  for (const row of rows.slice(0, SHOWN_MAX))
    runs.set(`${row.dagId} ${row.runId}`, [...(runs.get(`${row.dagId} ${row.runId}`) ?? []), row]);
  return (
    <>
      {[...runs.values()].map((some) => {
        const first = some[0] as Touched;
        return (
          <div key={`${first.dagId} ${first.runId}`}>
            {(runs.size > 1 || first.runId !== ownRun) && (
              <p className="name" title={first.runId}>
                {t("run {run} of {dag}", { run: nameRun(first.runId, zone), dag: first.dagId })}
              </p>
            )}
            <ul className={styles.touched}>
              {some.map((one) => (
                <li key={`${one.taskId} ${one.mapIndex}`}>
                  <span className="name">
                    {one.taskId ?? t("all tasks")}
                    {one.mapIndex < 0 ? "" : ` [${one.mapIndex}]`}
                  </span>{" "}
                  <StateBadge state={one.state} />
                </li>
              ))}
            </ul>
          </div>
        );
      })}
      {rows.length > SHOWN_MAX && <p className="soft">{t("and {count} more", { count: rows.length - SHOWN_MAX })}</p>}
    </>
  );
}

function describe(act: ActName, rows: readonly Touched[]): string {
  const count = rows.length;
  switch (act) {
    case "clear":
      return tn("{count} task instance runs again:", "{count} task instances run again:", count);
    case "delete":
      return tn(
        "The run is deleted with {count} task instance, its logs stay:",
        "The run is deleted with {count} task instances, their logs stay:",
        count,
      );
    case "success":
      return tn("{count} task instance becomes success:", "{count} task instances become success:", count);
    case "failed":
      return tn(
        "{count} task instance becomes failed; a running one is stopped:",
        "{count} task instances become failed; running ones are stopped:",
        count,
      );
    default:
      return tn("{count} task instance becomes skipped:", "{count} task instances become skipped:", count);
  }
}

function describeDone(act: ActName, count: number): string {
  if (act === "clear")
    return tn("Done: {count} task instance is cleared.", "Done: {count} task instances are cleared.", count);
  return tn("Done: {count} task instance is {state}.", "Done: {count} task instances are {state}.", count, {
    state: stateName(act),
  });
}

function confirmText(act: ActName): string {
  return act === "clear" ? t("Clear them") : act === "delete" ? t("Delete the run") : t("Mark them");
}
