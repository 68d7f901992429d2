/** The frame of all views of one DAG: what it is, why it does not run, its acts, its tabs. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { usePause, useTrigger } from "../../api/changes";
import { dagExplanationQuery, dagQuery } from "../../api/queries";
import { Answer, Refusal } from "../../components/Answer";
import { Sentences } from "../../components/Sentences";
import { t } from "../../state/language";
import { setDagZone } from "../../state/times";
import { TABS } from "./dagTabs";

const route = getRouteApi("/dags/$dagId");

export function DagFrame() {
  const { dagId } = route.useParams();
  return (
    <>
      <h1 className="name">{dagId}</h1>
      <DagHead dagId={dagId} />
      <Sentences query={useQuery(dagExplanationQuery(dagId))} none="Nothing prevents this DAG from running." />
      <nav className="tabs" aria-label={t("Views of the DAG")}>
        {TABS.map((tab) => (
          <Link key={tab.to} to={tab.to} params={{ dagId }} search={{}} activeOptions={{ exact: true, includeSearch: false }}>{t(tab.label)}</Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}

/** While a page of the DAG is shown, "zone of the DAG" is the zone of this DAG. */
export function useZoneOfDag(timezone: string | null | undefined): void {
  useEffect(() => {
    setDagZone(timezone ?? undefined);
    return () => setDagZone(undefined);
  }, [timezone]);
}

function DagHead({ dagId }: { dagId: string }) {
  const dagAnswer = useQuery(dagQuery(dagId));
  useZoneOfDag(dagAnswer.data?.timezone);
  const pause = usePause(dagId);
  const trigger = useTrigger(dagId);
  const [opened, setOpened] = useState(false);
  return (
    <Answer query={dagAnswer} what="the DAG">
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
