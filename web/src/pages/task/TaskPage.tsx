/** One task instance: why it waits or how it ended, its tries, its log. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type InstancePlace, instanceQuery, instancesQuery, taskExplanationQuery, triesQuery } from "../../api/queries";
import type { TaskInstanceList } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { ClearForm } from "../../components/ClearForm";
import { InstanceTable } from "../../components/InstanceTable";
import { Sentences } from "../../components/Sentences";
import { StateBadge } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { formatDuration } from "../../state/times";
import { LogView } from "./LogView";

export interface TaskView {
  map?: number;
  try?: number;
  find?: string;
}

/** Whether the try has ended and no worker ran it: an EmptyOperator, for example. */
function hadNoWorker(tries: TaskInstanceList | undefined, number: number): boolean {
  const found = tries?.task_instances.find((one) => one.try_number === number);
  return found !== undefined && found.end_date !== null && !found.hostname;
}

const route = getRouteApi("/dags/$dagId/runs/$runId/tasks/$taskId");

export function TaskPage() {
  const { dagId, runId, taskId } = route.useParams();
  const view = route.useSearch();
  return (
    <>
      <p className="path">
        <Link to="/dags/$dagId" params={{ dagId }} search={{}}>{dagId}</Link> / <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>{runId}</Link>
      </p>
      <h1 className="name">{taskId}{view.map === undefined ? "" : ` [${view.map}]`}</h1>
      {view.map === undefined ? <Instances dagId={dagId} runId={runId} taskId={taskId} view={view} /> : <Instance at={{ dagId, runId, taskId, mapIndex: view.map }} view={view} />}
    </>
  );
}

/** The instance of the task, or the list of those of a mapped task. */
function Instances({ dagId, runId, taskId, view }: { dagId: string; runId: string; taskId: string; view: TaskView }) {
  return (
    <Answer query={useQuery(instancesQuery(dagId, runId, taskId))} what="the instances of the task">
      {(found) => {
        const mapped = found.task_instances.filter((one) => one.map_index >= 0);
        if (mapped.length === 0) return <Instance at={{ dagId, runId, taskId, mapIndex: -1 }} view={view} />;
        return (
          <div className="scroll">
            <p>This task is mapped: {found.total_entries} instances.</p>
            <InstanceTable dagId={dagId} runId={runId} instances={mapped} />
            {(found.total_entries ?? 0) > mapped.length && <p className="soft">The first {mapped.length} are shown.</p>}
          </div>
        );
      }}
    </Answer>
  );
}

function Instance({ at, view }: { at: InstancePlace; view: TaskView }) {
  const { dagId, runId, taskId } = at;
  const navigate = useNavigate();
  const set = (some: TaskView) => void navigate({ to: "/dags/$dagId/runs/$runId/tasks/$taskId", params: { dagId, runId, taskId }, search: { ...view, ...some }, replace: true });
  const tries = useQuery(triesQuery(at));
  const why = useQuery(taskExplanationQuery(at));
  return (
    <>
      <Answer query={useQuery(instanceQuery(at))} what="the task instance">
        {(one) => (
          <>
            <div className="head">
              <p><StateBadge state={one.state} /> {one.operator}, try {one.try_number} of at most {(one.max_tries ?? 0) + 1}</p>
              <dl>
                <dt>Queued</dt><dd><Time at={one.queued_when} /></dd>
                <dt>Started</dt><dd><Time at={one.start_date} /></dd>
                <dt>Ended</dt><dd><Time at={one.end_date} /> {one.duration !== null && <span className="soft">after {formatDuration(one.duration)}</span>}</dd>
                <dt>Pool</dt><dd>{one.pool}, {one.pool_slots} {one.pool_slots === 1 ? "slot" : "slots"}</dd>
              </dl>
            </div>
            <Sentences query={why} none="Nothing prevents this task from running." />
            <ClearForm dagId={dagId} runId={runId} taskIds={[view.map === undefined ? taskId : [taskId, view.map]]} />
            {hadNoWorker(tries.data, view.try ?? one.try_number) ? <p className="soft">There is no log: the task ended without a worker.</p> : <LogView at={at} tryNumber={view.try ?? one.try_number} isRunning={one.state === "running"} find={view.find ?? ""} setFind={(find) => set({ find: find || undefined })} />}
          </>
        )}
      </Answer>
      <section>
        <h2>Tries</h2>
        <Answer query={tries} what="the tries">
          {(found) => (
            <div className="scroll">
              <table>
                <thead><tr><th>Try</th><th>State</th><th>Started</th><th>Duration</th><th>Worker</th></tr></thead>
                <tbody>
                  {found.task_instances.map((one) => (
                    <tr key={one.try_number}>
                      <td><button type="button" onClick={() => set({ try: one.try_number })}>log of try {one.try_number}</button></td>
                      <td><StateBadge state={one.state} /></td>
                      <td><Time at={one.start_date} /></td>
                      <td>{formatDuration(one.duration)}</td>
                      <td>{one.hostname}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Answer>
      </section>
    </>
  );
}
