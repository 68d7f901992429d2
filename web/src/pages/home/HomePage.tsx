/** What needs attention now: what failed, what is late, what waits and why, what runs, and whether the services are alive. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { failedRunsQuery, importErrorsQuery, servicesQuery, workQuery } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { Sentence } from "../../components/Sentences";
import { StateBadge } from "../../components/StateBadge";
import { Time } from "../../components/Time";

const SHOWN_MAX = 20;

export function HomePage() {
  const work = useQuery(workQuery());
  return (
    <>
      <h1>Home</h1>
      <Answer query={useQuery(importErrorsQuery())} what="the import errors">
        {(found) => found.import_errors.length ? (
          <section className="notice" aria-label="Import errors">
            <h2>{found.total_entries} DAG files cannot be loaded</h2>
            {found.import_errors.map((one) => (
              <details key={one.import_error_id}><summary>{one.filename}</summary><pre>{one.stack_trace}</pre></details>
            ))}
          </section>
        ) : null}
      </Answer>
      <section>
        <h2>Failed runs</h2>
        <Answer query={useQuery(failedRunsQuery())} what="the failed runs">
          {(found) => found.dag_runs.length ? (
            <ul className="lines">
              {found.dag_runs.map((run) => (
                <li key={`${run.dag_id} ${run.dag_run_id}`}>
                  <StateBadge state={run.state} /> <RunLink dagId={run.dag_id} runId={run.dag_run_id} /> <span className="soft">ended <Time at={run.end_date} /></span>
                </li>
              ))}
            </ul>
          ) : <p className="soft">No run has failed.</p>}
        </Answer>
      </section>
      <Answer query={work} what="the current work">
        {(found) => (
          <>
            <section>
              <h2>Late</h2>
              {found.late.length ? (
                <ul className="lines">
                  {found.late.slice(0, SHOWN_MAX).map((one, at) => (
                    <li key={at}>{one.run_id ? <RunLink dagId={one.dag_id} runId={one.run_id} /> : <DagLink dagId={one.dag_id} />} <Sentence text={one.why} /></li>
                  ))}
                </ul>
              ) : <p className="soft">Nothing is late.</p>}
            </section>
            <section>
              <h2>Waiting</h2>
              {found.waiting.length ? (
                <ul className="lines">
                  {found.waiting.slice(0, SHOWN_MAX).map((one) => (
                    <li key={`${one.dag_id} ${one.run_id}`}>
                      <StateBadge state={one.state} /> <RunLink dagId={one.dag_id} runId={one.run_id} /> <Sentence text={one.reasons.join("; ")} />
                    </li>
                  ))}
                </ul>
              ) : <p className="soft">Nothing waits.</p>}
            </section>
            <section>
              <h2>Running</h2>
              {found.running.length ? (
                <ul className="lines">
                  {found.running.slice(0, SHOWN_MAX).map((one) => (
                    <li key={`${one.dag_id} ${one.run_id} ${one.task}`}>
                      <StateBadge state={one.state} /> <RunLink dagId={one.dag_id} runId={one.run_id} /> {one.task}, try {one.try_number}{" "}
                      <span className="soft">since <Time at={one.since} /></span>
                    </li>
                  ))}
                </ul>
              ) : <p className="soft">Nothing runs.</p>}
            </section>
          </>
        )}
      </Answer>
      <section>
        <h2>Services</h2>
        <Answer query={useQuery(servicesQuery())} what="the services">
          {(found) => (
            <ul className="cards">
              {found.services.map((one) => (
                <li key={`${one.service} ${one.id}`}>
                  <b>{one.service}</b>
                  <span className={one.alive ? "good" : "bad"}>{one.alive ? "alive" : "no heartbeat"}</span>
                  <span className="soft">{one.host}, last heartbeat <Time at={one.beat_at} /></span>
                </li>
              ))}
            </ul>
          )}
        </Answer>
      </section>
    </>
  );
}

function DagLink({ dagId }: { dagId: string }) {
  return <Link to="/dags/$dagId" params={{ dagId }} search={{}}>{dagId}</Link>;
}

function RunLink({ dagId, runId }: { dagId: string; runId: string }) {
  return (
    <>
      <DagLink dagId={dagId} /> <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>{runId}</Link>
    </>
  );
}
