/** What the run will be, asked of the timetable of the DAG before the run is created. */

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type NewRun, runPreviewQuery } from "../../../api/plans";
import type { RunPreview as Preview } from "../../../api/shapes";
import { Interval } from "../../../components/Interval";
import { Sentence } from "../../../components/Sentences";
import { Time } from "../../../components/Time";
import { t } from "../../../state/language";

const TYPING_MS = 300;

/** The preview of what is typed, asked anew when the user stops typing. */
export function useRunPreview(dagId: string, body: NewRun, isAsked: boolean): UseQueryResult<Preview> {
  const text = JSON.stringify(body);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return useQuery({ ...runPreviewQuery(dagId, JSON.parse(settled) as NewRun), enabled: isAsked && settled === text }); // what was typed before can be wrong
}

export function RunPreview({
  preview,
  isPaused,
  dagId,
}: {
  preview: UseQueryResult<Preview>;
  isPaused: boolean;
  dagId: string;
}) {
  const found = preview.data;
  return (
    <section className="preview" aria-label={t("What will run")} aria-busy={preview.isFetching}>
      <h3>{t("What will run")}</h3>
      {preview.isError && (
        <p className="fault" role="alert">
          {preview.error.message}
        </p>
      )}
      {!found && !preview.isError && <p className="soft">{t("Asking the timetable …")}</p>}
      {found && (
        <>
          <dl>
            <dt>{t("Run id")}</dt>
            <dd className="name">{found.dag_run_id}</dd>
            <dt>{t("Logical date")}</dt>
            <dd>
              <Time at={found.logical_date} />
            </dd>
            <dt>{t("Data interval")}</dt>
            <dd>
              <Interval start={found.data_interval_start} end={found.data_interval_end} />
            </dd>
            <dt>{t("Runs after")}</dt>
            <dd>
              <Time at={found.run_after} />
            </dd>
            {found.slot && (
              <>
                <dt>{t("Takes the slot")}</dt>
                <dd>
                  <Time at={found.slot} />
                </dd>
              </>
            )}
          </dl>
          {found.taken_by && (
            <p className="fault">
              {t("There is a run with this date or id already:")}{" "}
              <Link className="name" to="/dags/$dagId/runs/$runId" params={{ dagId, runId: found.taken_by }}>
                {found.taken_by}
              </Link>
            </p>
          )}
          {found.notes.map((note) => (
            <p key={note} className={isPaused ? "warn" : "soft"}>
              <Sentence text={note} spans={found.spans[note]} />
            </p>
          ))}
        </>
      )}
    </section>
  );
}
