/** One run: why it waits or how it ended, and its tasks. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { runExplanationQuery, runQuery, tasksQuery } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { ClearForm } from "../../components/ClearForm";
import { Sentences } from "../../components/Sentences";
import { StateBadge } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { InstanceTable } from "../../components/InstanceTable";
import { formatDuration } from "../../state/times";

const ENDED = ["success", "skipped", "removed"];

const route = getRouteApi("/dags/$dagId/runs/$runId");

export function RunPage() {
  const { dagId, runId } = route.useParams();
  const [unfinished, setUnfinished] = useState(false);
  return (
    <>
      <p className="path"><Link to="/dags/$dagId" params={{ dagId }} search={{}}>{dagId}</Link></p>
      <h1 className="name">{runId}</h1>
      <Answer query={useQuery(runQuery(dagId, runId))} what="the run">
        {(run) => (
          <div className="head">
            <p><StateBadge state={run.state} /> {run.run_type} run{run.triggering_user_name ? ` by ${run.triggering_user_name}` : ""}</p>
            <dl>
              <dt>Runs after</dt><dd><Time at={run.run_after} /></dd>
              <dt>Data interval</dt><dd><Time at={run.data_interval_start} /> to <Time at={run.data_interval_end} /></dd>
              <dt>Started</dt><dd><Time at={run.start_date} /></dd>
              <dt>Ended</dt><dd><Time at={run.end_date} /> {run.duration !== null && <span className="soft">after {formatDuration(run.duration)}</span>}</dd>
            </dl>
            {run.conf && Object.keys(run.conf).length > 0 && <pre>{JSON.stringify(run.conf, null, 2)}</pre>}
          </div>
        )}
      </Answer>
      <Sentences query={useQuery(runExplanationQuery(dagId, runId))} none="Nothing prevents this run from going on." />
      <ClearForm dagId={dagId} runId={runId} taskIds={[]} />
      <section>
        <h2>Tasks</h2>
        <label><input type="checkbox" checked={unfinished} onChange={(event) => setUnfinished(event.target.checked)} /> only what failed or has not ended</label>
        <Answer query={useQuery(tasksQuery(dagId, runId))} what="the tasks">
          {(found) => (
            <div className="scroll">
              <InstanceTable dagId={dagId} runId={runId} instances={found.task_instances.filter((one) => !unfinished || !ENDED.includes(one.state ?? ""))} />
              {(found.total_entries ?? 0) > found.task_instances.length && <p className="soft">The first {found.task_instances.length} of {found.total_entries} are shown.</p>}
            </div>
          )}
        </Answer>
      </section>
    </>
  );
}
