/** What is different from the last successful run: a word for each that differs (duration, version, params, XComs), and the values on demand. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { differencesQuery, type RunDifferences as Differences } from "../../api/runs";
import type { DagRun } from "../../api/shapes";
import { cutText } from "../../components/LongText";
import { RunLink } from "../../components/Names";
import { useNarrow } from "../../components/useNarrow";
import { t, tn } from "../../state/language";
import { formatDuration } from "../../state/times";
import { HistoryIcon } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import { isNotable } from "./differences";
import styles from "./run.module.css";

const VALUE_MAX = 200;

export function RunDifferences({ run }: { run: DagRun }) {
  const isNarrow = useNarrow();
  const found = useQuery(differencesQuery(run)).data;
  if (!found?.run_id) return null;
  const [before, after] = found.durations ?? [];
  const isSlower = isNotable(before, after);
  if (!isSlower && !found.versions && found.params.length === 0 && found.xcoms.length === 0) return null;
  const changes = [
    isSlower && t("{after} instead of {before}", { before: formatDuration(before), after: formatDuration(after) }),
    found.versions &&
      t("version {after} instead of {before}", { before: found.versions[0] ?? "–", after: found.versions[1] ?? "–" }),
    found.params.length > 0 && tn("{count} param", "{count} params", found.params.length),
    found.xcoms.length > 0 &&
      (found.has_more_xcoms
        ? t("more than {count} XComs", { count: found.xcoms.length })
        : tn("{count} XCom", "{count} XComs", found.xcoms.length)),
  ].filter((one): one is string => Boolean(one));
  const words = t("Different from the last good run: {changes}", { changes: changes.join(t(", |list")) });
  return (
    <Popover
      isSmall
      look="quiet"
      icon={HistoryIcon}
      isBare={isNarrow}
      label={
        <>
          {isNarrow && <span aria-hidden="true">{changes.length}</span>}
          <span className={isNarrow ? "unseen" : styles.changes}>{words}</span>
        </>
      }
    >
      <p className={styles.since}>
        {t("Last good run")}: <RunLink dagId={run.dag_id} runId={found.run_id} />
      </p>
      {isSlower && <p className={styles.since}>{changes[0]}</p>}
      {found.versions && (
        <Link
          to="/dags/$dagId/code"
          params={{ dagId: run.dag_id }}
          search={{ version: found.versions[1] ?? undefined, against: found.versions[0] ?? undefined }}
        >
          {changes[isSlower ? 1 : 0]}
        </Link>
      )}
      {found.params.length + found.xcoms.length > 0 && (
        <ValueTable
          rows={[
            ...found.params.map((one) => ({ ...one, is_long: false })),
            ...found.xcoms.map((one) => ({ ...one, name: `${one.task_id} ${one.key}` })),
          ]}
        />
      )}
    </Popover>
  );
}

type Row = Pick<Differences["xcoms"][number], "before" | "after" | "is_long"> & { name: string };

function ValueTable({ rows }: { rows: readonly Row[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t("Name")}</th>
          <th scope="col">{t("Last good run")}</th>
          <th scope="col">{t("This run")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((one) => (
          <tr key={one.name}>
            <th scope="row" className="name">
              {one.name}
            </th>
            {one.is_long ? (
              <td colSpan={2} className="soft">
                {t("too long to be shown")}
              </td>
            ) : (
              <>
                <td className="name">{describe(one.before)}</td>
                <td className="name">{describe(one.after)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function describe(value: unknown): string {
  return value === null || value === undefined ? "–" : cutText(JSON.stringify(value), VALUE_MAX);
}
