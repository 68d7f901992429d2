/** One DAG: why it does not run, its grid, its coming runs. */

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePause, useTrigger } from "../../api/changes";
import { dagExplanationQuery, dagQuery, gridQuery, nextRunsQuery } from "../../api/queries";
import { Answer, Refusal } from "../../components/Answer";
import { Sentence, Sentences } from "../../components/Sentences";
import { Time } from "../../components/Time";
import { Grid } from "./Grid";

export interface DagView {
  runs?: number;
  state?: string;
  task?: string;
}

const COUNTS = [10, 25, 50, 100, 365];

export function DagPage({ dagId, view }: { dagId: string; view: DagView }) {
  const navigate = useNavigate();
  const set = (some: DagView) => void navigate({ to: "/dags/$dagId", params: { dagId }, search: { ...view, ...some }, replace: true });
  const count = view.runs ?? 25;
  return (
    <>
      <h1 className="name">{dagId}</h1>
      <DagHead dagId={dagId} />
      <Sentences query={useQuery(dagExplanationQuery(dagId))} none="Nothing prevents this DAG from running." />
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

function DagHead({ dagId }: { dagId: string }) {
  const pause = usePause(dagId);
  const trigger = useTrigger(dagId);
  const [opened, setOpened] = useState(false);
  return (
    <Answer query={useQuery(dagQuery(dagId))} what="the DAG">
      {(dag) => (
        <div className="head">
          {dag.description && <p>{dag.description}</p>}
          <p>
            <b>{dag.timetable_summary ?? "no schedule"}</b> {dag.timetable_description && <span className="soft">{dag.timetable_description}</span>}
          </p>
          <div className="acts">
            <button type="button" disabled={pause.isPending} onClick={() => pause.mutate(!dag.is_paused)}>{dag.is_paused ? "Unpause" : "Pause"}</button>
            <button type="button" aria-expanded={opened} onClick={() => setOpened(!opened)}>Run it …</button>
          </div>
          {pause.isError && <Refusal error={pause.error} />}
          {opened && (
            <RunForm
              params={dag.params ?? {}} isPending={trigger.isPending} error={trigger.error}
              run={(conf) => trigger.mutate(conf, { onSuccess: () => setOpened(false) })}
            />
          )}
        </div>
      )}
    </Answer>
  );
}

interface RunFormProps {
  params: Record<string, unknown>;
  isPending: boolean;
  error: Error | null;
  run: (conf: Record<string, unknown>) => void;
}

function RunForm({ params, isPending, error, run }: RunFormProps) {
  const [text, setText] = useState(() => JSON.stringify(readDefaults(params), null, 2));
  const [problem, setProblem] = useState("");
  const submit = () => {
    try {
      const conf: unknown = JSON.parse(text);
      if (typeof conf !== "object" || conf === null || Array.isArray(conf)) throw new Error("it must be an object, for example {\"day\": 1}");
      setProblem("");
      run(conf as Record<string, unknown>);
    } catch (fault) {
      setProblem(`The parameters are no JSON: ${(fault as Error).message}`);
    }
  };
  return (
    <form className="run-form" onSubmit={(event) => { event.preventDefault(); submit(); }}>
      <label>Parameters as JSON<textarea rows={6} value={text} onChange={(event) => setText(event.target.value)} spellCheck={false} /></label>
      {(problem || error) && <p className="notice" role="alert">{problem || error?.message}</p>}
      <button disabled={isPending}>Run now</button>
    </form>
  );
}

/** The value of each param: the API answers with an object that has the value, or with the value itself. */
export function readDefaults(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([name, one]) => [name, one && typeof one === "object" && "value" in one ? one.value : one]));
}
