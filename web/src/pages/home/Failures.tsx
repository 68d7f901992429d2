/** What failed and has not been looked at: the DAGs that are still broken, and those that a later success has healed. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { failuresQuery } from "../../api/overviews";
import type { FailedDag } from "../../api/shapes";
import { Ago } from "../../components/Ago";
import { Answer } from "../../components/Answer";
import { Sentence } from "../../components/Sentences";
import { BadgeLink } from "../../components/StateBadge";
import { t, tn } from "../../state/language";
import { markKey, type Seen, setSeen, useSeenMarks } from "../../state/seenMarks";
import { showToast } from "../../state/toasts";
import { findSince, type HomeView, readVisitBefore, WINDOWS } from "./homeView";
import styles from "./home.module.css";

const SHOWN_MAX = 20;
const WINDOW_LABELS: Record<string, string> = {
  "24h": /* text */ "24 hours",
  "7d": /* text */ "7 days",
  visit: /* text */ "since my last visit",
};

export function Failures({ view }: { view: HomeView }) {
  const [now] = useState(() => Date.now());
  const since = findSince(view.window, now, readVisitBefore());
  const seen = useSeenMarks();
  return (
    <section aria-labelledby="failed">
      <h2 id="failed">{t("Failed")}</h2>
      <nav className="choices" aria-label={t("How far back")}>
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
      <Answer query={useQuery(failuresQuery(since))} what={t("the failed runs")}>
        {(found) => {
          const hidden = view.seen === "shown" ? [] : found.dags.filter((one) => seen.has(markKey(toSeen(one))));
          const shown =
            view.seen === "shown" ? found.dags : found.dags.filter((one) => !seen.has(markKey(toSeen(one))));
          const broken = shown.filter((one) => one.is_broken);
          const healed = shown.filter((one) => !one.is_broken);
          return (
            <>
              {shown.length === 0 && (
                <p className="soft">
                  {found.dags.length
                    ? t("You have seen all failures of this time.")
                    : t("Nothing failed in this time.")}
                </p>
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
              <p className="choices">
                {shown.length > 0 && (
                  <button type="button" onClick={() => mark(shown)}>
                    {t("Mark all as seen")}
                  </button>
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
              </p>
              {(found.left_out > 0 || !found.complete) && (
                <p className="soft">{t("There are more; the list of runs has all of them.")}</p>
              )}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

function mark(failures: FailedDag[]): void {
  const marked = failures.map(toSeen);
  setSeen(marked, true);
  showToast(
    tn(
      "{count} failure is marked as seen in this browser.",
      "{count} failures are marked as seen in this browser.",
      failures.length,
    ),
    () => setSeen(marked, false),
  );
}

/** A DAG is seen until another of its runs fails. */
function toSeen(failure: FailedDag): Seen {
  const newest = failure.failures[0];
  return { dag_id: failure.dag_id, run_id: newest?.run_id ?? "", ended_at: newest?.ended_at ?? "" };
}

function Group({ title, failures, since }: { title: string; failures: FailedDag[]; since: string }) {
  const [all, setAll] = useState(false);
  const shown = all ? failures : failures.slice(0, SHOWN_MAX);
  return (
    <>
      <h3>{title}</h3>
      <ul className="lines">
        {shown.map((one) => (
          <Failure key={one.dag_id} failure={one} since={since} />
        ))}
      </ul>
      {shown.length < failures.length && (
        <button type="button" onClick={() => setAll(true)}>
          {t("Show all {count}", { count: failures.length })}
        </button>
      )}
    </>
  );
}

function Failure({ failure, since }: { failure: FailedDag; since: string }) {
  const seen = useSeenMarks();
  const isSeen = seen.has(markKey(toSeen(failure)));
  const [newest, ...earlier] = failure.failures;
  if (!newest) return null;
  return (
    <li className={styles.failure}>
      <div>
        <BadgeLink state="failed" dagId={failure.dag_id} runId={newest.run_id} />{" "}
        <Link to="/dags/$dagId" params={{ dagId: failure.dag_id }} search={{}} className="name strong">
          {failure.dag_id}
        </Link>
        {" › "}
        <FailedRun dagId={failure.dag_id} run={newest} />
        {earlier.length > 0 && (
          <details>
            <summary>{tn("{count} earlier failed run", "{count} earlier failed runs", earlier.length)}</summary>
            {earlier.map((run) => (
              <div key={run.run_id}>
                <FailedRun dagId={failure.dag_id} run={run} />
              </div>
            ))}
          </details>
        )}
        <span className="block">
          {failure.runs > 1 && (
            <Link to="/runs" search={{ dag_id: failure.dag_id, state: ["failed"], from: since }}>
              {t("{count} runs failed", { count: failure.runs })}
            </Link>
          )}
          {failure.healed_by && (
            <span className="good">
              {" "}
              {t("healed by")}{" "}
              <Link
                to="/dags/$dagId/runs/$runId"
                params={{ dagId: failure.dag_id, runId: failure.healed_by }}
                className="name"
              >
                {failure.healed_by}
              </Link>
            </span>
          )}
        </span>
      </div>
      <button
        type="button"
        aria-label={
          isSeen ? t("{dag} is not seen", { dag: failure.dag_id }) : t("{dag} is seen", { dag: failure.dag_id })
        }
        onClick={() => (isSeen ? setSeen([toSeen(failure)], false) : mark([failure]))}
      >
        {isSeen ? t("not seen") : t("seen")}
      </button>
    </li>
  );
}

/** A failed run, and each task that failed in it with its error on one line. */
function FailedRun({ dagId, run }: { dagId: string; run: FailedDag["failures"][number] }) {
  const params = { dagId, runId: run.run_id };
  return (
    <>
      <Link to="/dags/$dagId/runs/$runId" params={params} className="name">
        {run.run_id}
      </Link>{" "}
      <span className="soft">
        {t("ended")} <Ago at={run.ended_at} />
      </span>
      {run.tasks.map((one) => {
        const name = one.map_index < 0 ? one.task_id : `${one.task_id} [${one.map_index}]`;
        return (
          <span
            key={`${one.task_id} ${one.map_index}`}
            className={styles.failedTask}
            title={one.error ? `${name}: ${one.error}` : name}
          >
            <Link
              to="/dags/$dagId/runs/$runId/tasks/$taskId"
              params={{ ...params, taskId: one.task_id }}
              className="name"
              search={{ map: one.map_index < 0 ? undefined : one.map_index }}
              aria-label={t("log of {task}", { task: name })}
            >
              {name}
            </Link>
            {one.error && (
              <>
                : <span className="name">{one.error}</span>
              </>
            )}
          </span>
        );
      })}
      {run.failed_tasks > run.tasks.length && (
        <span className="soft block">
          {t("and {count} more tasks", { count: run.failed_tasks - run.tasks.length })}
        </span>
      )}
      {run.reason && run.tasks.length === 0 && (
        <span className="soft block">
          <Sentence text={run.reason} spans={run.spans[run.reason]} />
        </span>
      )}
    </>
  );
}
