/** What failed and has not been looked at: the DAGs that are still broken, by cause, and those that a later success has healed. */

import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { FailedDag, Failures as FailureList } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { t, tn } from "../../state/language";
import { markKey, useSeenMarks } from "../../state/seenMarks";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { CheckIcon } from "../../ui/icons";
import { groupByCause } from "./causes";
import { Failure } from "./Failure";
import { mark, toSeen } from "./failureMarks";
import { type HomeView, WINDOWS } from "./homeView";
import styles from "./home.module.css";

const SHOWN_MAX = 20;
const WINDOW_LABELS: Record<string, string> = {
  "24h": /* text */ "24 hours",
  "7d": /* text */ "7 days",
  visit: /* text */ "since my last visit",
};

interface Props {
  view: HomeView;
  since: string;
  query: UseQueryResult<FailureList>;
}

export function Failures({ view, since, query }: Props) {
  const seen = useSeenMarks();
  const isSeen = (one: FailedDag) => seen.has(markKey(toSeen(one)));
  return (
    <section aria-labelledby="failed" className={styles.card}>
      <header>
        <h2 id="failed">{t("Failed")}</h2>
        <nav className={styles.choices} aria-label={t("How far back")}>
          {WINDOWS.map((one) => (
            <Link
              key={one}
              to="/"
              search={{ ...view, window: one === "24h" ? undefined : one }}
              aria-current={(view.window ?? "24h") === one ? "true" : undefined}
            >
              {t(WINDOW_LABELS[one] ?? one)}
            </Link>
          ))}
        </nav>
      </header>
      <Answer query={query} what={t("the failed runs")}>
        {(found) => {
          const hidden = view.seen === "shown" ? [] : found.dags.filter(isSeen);
          const shown = view.seen === "shown" ? found.dags : found.dags.filter((one) => !isSeen(one));
          const broken = shown.filter((one) => one.is_broken);
          const healed = shown.filter((one) => !one.is_broken);
          return (
            <>
              {shown.length === 0 && (
                <EmptyState
                  icon={CheckIcon}
                  title={
                    found.dags.length
                      ? t("You have seen all failures of this time.")
                      : t("Nothing failed in this time.")
                  }
                />
              )}
              {broken.length > 0 && (
                <Group
                  title={tn("{count} DAG is still broken", "{count} DAGs are still broken", broken.length)}
                  failures={broken}
                  since={since}
                />
              )}
              {healed.length > 0 && (
                <Group
                  title={tn(
                    "{count} DAG failed and succeeded since",
                    "{count} DAGs failed and succeeded since",
                    healed.length,
                  )}
                  failures={healed}
                  since={since}
                />
              )}
              {(found.left_out > 0 || !found.complete) && (
                <p className="soft">{t("There are more; the list of runs has all of them.")}</p>
              )}
              <footer>
                {shown.length > 0 && (
                  <Button look="quiet" isSmall icon={CheckIcon} onClick={() => mark(shown)}>
                    {t("Mark all as seen")}
                  </Button>
                )}
                {hidden.length > 0 && (
                  <Link to="/" search={{ ...view, seen: "shown" }}>
                    {t("Show {count} that are seen", { count: hidden.length })}
                  </Link>
                )}
                {view.seen === "shown" && (
                  <Link to="/" search={{ ...view, seen: undefined }}>
                    {t("Hide what is seen")}
                  </Link>
                )}
                <Link to="/runs" search={{ state: ["failed"], from: since }}>
                  {t("All failed runs of this time")}
                </Link>
              </footer>
            </>
          );
        }}
      </Answer>
    </section>
  );
}

function Group({ title, failures, since }: { title: string; failures: FailedDag[]; since: string }) {
  const [all, setAll] = useState(false);
  const causes = groupByCause(all ? failures : failures.slice(0, SHOWN_MAX));
  return (
    <>
      <h3>{title}</h3>
      <ul className={styles.rows}>
        {causes.flatMap((cause) => [
          cause.failures.length > 1 && (
            <li key={`cause ${cause.error}`} className={styles.cause} title={cause.error}>
              {tn("{count} DAG for the same cause:", "{count} DAGs for the same cause:", cause.failures.length)}{" "}
              <span className="bad name">{cause.error}</span>
            </li>
          ),
          ...cause.failures.map((one) => <Failure key={one.dag_id} failure={one} since={since} />),
        ])}
      </ul>
      {!all && failures.length > SHOWN_MAX && (
        <Button look="quiet" isSmall onClick={() => setAll(true)}>
          {t("Show all {count}", { count: failures.length })}
        </Button>
      )}
    </>
  );
}
