/** What is late and by how much, what waits longest and for what, and what runs. */

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Work } from "../../api/shapes";
import { HowLong, useNow } from "../../components/Ago";
import { Sentence } from "../../components/Sentences";
import { BadgeLink } from "../../components/StateBadge";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";

const SHOWN_MAX = 10;
/** Reasons of one run; its page has all. */
const REASONS_MAX = 3;

export function Late({ late }: { late: Work["late"] }) {
  const now = useNow();
  const sorted = late.toSorted((a, b) => (a.late_since ?? "").localeCompare(b.late_since ?? ""));
  return (
    <section aria-labelledby="late">
      <h2 id="late">{t("Late")}</h2>
      {late.length === 0 && <p className="soft">{t("Nothing is late.")}</p>}
      <Lines
        items={sorted}
        line={(one) => (
          <li key={`${one.dag_id} ${one.run_id ?? ""}`}>
            <b className="bad">
              {one.late_since
                ? formatDuration(Math.max(0, Math.round((now - Date.parse(one.late_since)) / 1000)))
                : t("late")}
            </b>{" "}
            {one.run_id ? <RunLink dagId={one.dag_id} runId={one.run_id} /> : <DagLink dagId={one.dag_id} />}{" "}
            <span className="block soft">
              <Sentence text={one.why} spans={one.coded.spans} />
            </span>
          </li>
        )}
      />
    </section>
  );
}

export function Waiting({ waiting }: { waiting: Work["waiting"] }) {
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">{t("Waiting")}</h2>
      {waiting.length === 0 && <p className="soft">{t("Nothing waits.")}</p>}
      <Lines
        items={waiting}
        line={(one) => (
          <li key={`${one.dag_id} ${one.run_id}`}>
            <BadgeLink state={one.state} dagId={one.dag_id} runId={one.run_id} />{" "}
            <RunLink dagId={one.dag_id} runId={one.run_id} />{" "}
            {one.since && (
              <span className="soft">
                <HowLong since={one.since} />
              </span>
            )}
            {one.coded.slice(0, REASONS_MAX).map((reason) => (
              <span key={reason.text} className="block">
                <Sentence text={reason.text} spans={reason.spans} />
              </span>
            ))}
            {one.reasons.length > REASONS_MAX && (
              <span className="soft block">
                {t("and {count} more reasons", { count: one.reasons.length - REASONS_MAX })}
              </span>
            )}
            {one.reasons.length === 0 && (
              <span className="soft block">
                {t("There are too many unfinished runs to explain all; open the run to see why.")}
              </span>
            )}
          </li>
        )}
      />
    </section>
  );
}

export function Running({ running }: { running: Work["running"] }) {
  return (
    <section aria-labelledby="running">
      <h2 id="running">{t("Running")}</h2>
      {running.length === 0 && <p className="soft">{t("Nothing runs.")}</p>}
      <Lines
        items={running}
        line={(one) => (
          <li key={`${one.dag_id} ${one.run_id} ${one.task}`}>
            <BadgeLink state={one.state} dagId={one.dag_id} runId={one.run_id} />{" "}
            <RunLink dagId={one.dag_id} runId={one.run_id} /> <bdi>{one.task}</bdi>,{" "}
            {t("try {number}", { number: one.try_number })}{" "}
            {one.since && (
              <span className="soft">
                <HowLong since={one.since} />
              </span>
            )}
          </li>
        )}
      />
    </section>
  );
}

function Lines<T>({ items, line }: { items: T[]; line: (item: T) => React.ReactNode }) {
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, SHOWN_MAX);
  if (items.length === 0) return null;
  return (
    <>
      <ul className="lines">{shown.map(line)}</ul>
      {shown.length < items.length && (
        <button type="button" onClick={() => setAll(true)}>
          {t("Show all {count}", { count: items.length })}
        </button>
      )}
    </>
  );
}

function DagLink({ dagId }: { dagId: string }) {
  return (
    <Link to="/dags/$dagId" params={{ dagId }} search={{}} className="name">
      {dagId}
    </Link>
  );
}

function RunLink({ dagId, runId }: { dagId: string; runId: string }) {
  return (
    <>
      <DagLink dagId={dagId} /> ›{" "}
      <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} className="name">
        {runId}
      </Link>
    </>
  );
}
