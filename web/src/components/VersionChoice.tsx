/** Which version of its DAG bundle a cleared run runs with. Only a run that keeps a version has the choice. */

import { useQuery } from "@tanstack/react-query";
import type { ActScope, ActTarget } from "../api/acts";
import { dagQuery, runQuery } from "../api/queries";
import { t } from "../state/language";
import { cutText } from "./LongText";
import styles from "./actDialog.module.css";

/** Characters of a version that are shown: those of a short commit id. */
const VERSION_MAX = 12;

export interface VersionChoiceProps {
  /** The newest version is wanted; undefined: there is nothing to choose. */
  isNewest: boolean | undefined;
  kept: string;
  newest: string | null;
  choose: (isNewest: boolean) => void;
}

/** What can be chosen for a clear, and what is chosen before the user does: what the DAG says. */
export function useVersionChoice(
  target: ActTarget,
  scope: ActScope,
  chosen: boolean | undefined,
): Omit<VersionChoiceProps, "choose"> {
  const run = useQuery(runQuery(target.dagId, target.runId)).data;
  const dag = useQuery(dagQuery(target.dagId)).data;
  const kept = run?.bundle_version ?? "";
  const newest = dag?.bundle_version ?? null;
  const canDiffer = kept !== "" && (kept !== newest || Boolean(scope.past || scope.future || scope.otherDags));
  return { isNewest: canDiffer ? (chosen ?? dag?.rerun_with_latest_version ?? false) : undefined, kept, newest };
}

export function VersionChoice({ isNewest, kept, newest, choose }: VersionChoiceProps) {
  if (isNewest === undefined) return null;
  const short = (version: string) => cutText(version, VERSION_MAX);
  return (
    <fieldset className={styles.scopes}>
      <legend>{t("Version of the DAG bundle:")}</legend>
      <label title={kept}>
        <input type="radio" name="version" checked={!isNewest} onChange={() => choose(false)} />{" "}
        {t("the one that the run has ({version})", { version: short(kept) })}
      </label>
      <label title={newest ?? undefined}>
        <input type="radio" name="version" checked={isNewest} onChange={() => choose(true)} />{" "}
        {newest === null ? t("the latest") : t("the latest ({version})", { version: short(newest) })}
      </label>
    </fieldset>
  );
}
