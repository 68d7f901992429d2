/** The grid of a DAG and its coming runs. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { gridQuery, nextRunsQuery } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { Sentence } from "../../components/Sentences";
import { Time } from "../../components/Time";
import { Grid } from "./Grid";

export interface DagView {
  runs?: number;
  state?: string;
  task?: string;
}

const COUNTS = [10, 25, 50, 100, 365];

const route = getRouteApi("/dags/$dagId/");

export function DagPage() {
  const { dagId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: DagView) => void navigate({ to: "/dags/$dagId", params: { dagId }, search: { ...view, ...some }, replace: true });
  const count = view.runs ?? 25;
  return (
    <>
      <section>
        <h2>Runs</h2>
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <label>Runs{" "}
            <select value={count} onChange={(event) => set({ runs: Number(event.target.value) })}>
              {[...new Set([...COUNTS, count])].sort((a, b) => a - b).map((one) => <option key={one}>{one}</option>)}
            </select>
          </label>
          <label>Task <input type="search" value={view.task ?? ""} placeholder="part of a task id" onChange={(event) => set({ task: event.target.value || undefined })} /></label>
          <label><input type="checkbox" checked={view.state === "failed"} onChange={(event) => set({ state: event.target.checked ? "failed" : undefined })} /> only tasks that failed</label>
        </form>
        <Answer query={useQuery(gridQuery(dagId, count))} what="the grid">
          {(grid) => <Grid grid={grid} search={view.task ?? ""} onlyFailed={view.state === "failed"} />}
        </Answer>
      </section>
      <section>
        <h2>Next runs</h2>
        <Answer query={useQuery(nextRunsQuery(dagId))} what="the next runs">
          {(next) => (
            <>
              {next.blocked && <p className="notice"><Sentence text={next.blocked} /></p>}
              {next.notes.map((note) => <p key={note} className="soft"><Sentence text={note} /></p>)}
              {next.next_runs.length > 0 && (
                <div className="scroll">
                  <table>
                    <thead><tr><th>Runs after</th><th>Data interval</th><th>State</th><th>Why</th></tr></thead>
                    <tbody>
                      {next.next_runs.map((one) => (
                        <tr key={one.run_id}>
                          <td><Time at={one.run_after} /></td>
                          <td><Time at={one.data_interval_start} /> to <Time at={one.data_interval_end} /></td>
                          <td>{one.state}</td>
                          <td>{one.why}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              )}
              {next.skipped.map((one) => (
                <p key={one.first}><Time at={one.first} />: {one.count} {one.count === 1 ? "slot has" : "slots have"} no run, {one.reason}</p>
              ))}
            </>
          )}
        </Answer>
      </section>
    </>
  );
}

