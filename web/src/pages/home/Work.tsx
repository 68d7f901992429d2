/** What is late and by how much, and what runs. */

import type { Work } from "../../api/shapes";
import { HowLong, useNow } from "../../components/Ago";
import { Sentence } from "../../components/Sentences";
import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { formatDuration } from "../../state/times";
import { Lines, RunPlace } from "./Lines";
import { groupRunning } from "./runningTasks";
import styles from "./home.module.css";

export function Late({ late }: { late: Work["late"] }) {
  const now = useNow();
  if (late.length === 0) return null;
  const sorted = late.toSorted((a, b) => (a.late_since ?? "").localeCompare(b.late_since ?? ""));
  return (
    <section aria-labelledby="late" className={styles.card}>
      <header>
        <h2 id="late">{t("Late")}</h2>
      </header>
      <Lines
        items={sorted}
        line={(one) => (
          <li key={`${one.dag_id} ${one.run_id ?? ""}`} className={styles.row}>
            <RunPlace dagId={one.dag_id} runId={one.run_id} state={one.run_id ? "running" : "none"}>
              <b className="bad">
                {one.late_since
                  ? formatDuration(Math.max(0, Math.round((now - Date.parse(one.late_since)) / 1000)))
                  : t("late")}
              </b>
            </RunPlace>
            <span className="block">
              <Sentence text={one.why} spans={one.coded.spans} />
            </span>
          </li>
        )}
      />
    </section>
  );
}

export function Running({ running }: { running: Work["running"] }) {
  return (
    <section aria-labelledby="running" className={styles.card}>
      <header>
        <h2 id="running">{t("Running")}</h2>
      </header>
      {running.length === 0 ? (
        <p className="soft">{t("Nothing runs.")}</p>
      ) : (
        <Lines
          items={groupRunning(running)}
          line={(one) => (
            <li key={`${one.dag_id} ${one.run_id} ${one.task}`} className={styles.row}>
              <RunPlace dagId={one.dag_id} runId={one.run_id} state={one.state}>
                <bdi>{one.task}</bdi>
                {one.count > 1 && ` × ${formatCount(one.count)}`}
                {one.try_number > 1 && ` · ${t("try {number}", { number: one.try_number })}`}
                {one.since && (
                  <>
                    {" "}
                    · <HowLong since={one.since} />
                  </>
                )}
              </RunPlace>
            </li>
          )}
        />
      )}
    </section>
  );
}
