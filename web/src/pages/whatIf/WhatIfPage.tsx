/** What would happen if: changes in words, a simulation of the coming days with them, and what is different then. All but the answer is in the address. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post, remove } from "../../api/client";
import { type Simulation, simulationQuery } from "../../api/simulations";
import { Ago } from "../../components/Ago";
import { Failure, Refusal } from "../../components/Answer";
import { useMay } from "../../state/account";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { formatDuration } from "../../state/times";
import { showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { CloseIcon, CopyIcon, RunIcon } from "../../ui/icons";
import { PageHeader } from "../../ui/PageHeader";
import { Popover } from "../../ui/Popover";
import { ChangeForm } from "./ChangeForm";
import { ChangeList } from "./ChangeList";
import { Outcome } from "./Outcome";
import {
  buildScenario,
  type Change,
  putChange,
  readChanges,
  type Scenario,
  writeChange,
  writeToml,
} from "./scenarioChanges";
import { SPAN, type SpanName, SPANS, type WhatIfView } from "./whatIfView";
import styles from "./whatIf.module.css";

const route = getRouteApi("/what-if");
const EMPTY: Change = { key: "set", name: "", value: "" };
const SPAN_WORDS: Record<SpanName, string> = {
  "6h": /* text */ "the next 6 hours",
  "12h": /* text */ "the next 12 hours",
  "1d": /* text */ "the next day",
  "2d": /* text */ "the next 2 days",
  "7d": /* text */ "the next 7 days",
};

export function WhatIfPage() {
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: WhatIfView) =>
    void navigate({ to: "/what-if", search: { ...view, ...some }, replace: true, resetScroll: false });
  const changes = readChanges(view.change ?? []);
  const setChanges = (next: readonly Change[]) => set({ change: next.length > 0 ? next.map(writeChange) : undefined });
  const [draft, setDraft] = useState({ change: EMPTY, number: 0 });
  const scenario = buildScenario(changes, view.for ?? SPAN);
  const simulation = useSimulation(view.id, (id) => set({ id }));
  const { job } = simulation;
  const isStale = job !== undefined && writeKey(job.scenario) !== writeKey(scenario);
  return (
    <>
      <PageHeader
        title={t("What if")}
        facts={
          job?.answer ? (
            <>
              <span>{tn("{count} future", "{count} futures", job.answer.samples)}</span>
              <span>
                {t("from the state of")} <Ago at={job.answer.at} />
              </span>
              <span>{t("computed in {span}", { span: formatDuration(job.seconds) })}</span>
            </>
          ) : (
            <span>{t("the coming days with changes, beside how they would be")}</span>
          )
        }
        acts={<Acts simulation={simulation} scenario={scenario} hasChanges={changes.length > 0} />}
      />
      <section className={styles.scenario} aria-label={t("Scenario")}>
        <ChangeList
          changes={changes}
          edit={(change) => setDraft(({ number }) => ({ change, number: number + 1 }))}
          remove={(change) => setChanges(changes.filter((one) => one !== change))}
        />
        <ChangeForm key={draft.number} first={draft.change} add={(change) => setChanges(putChange(changes, change))} />
        <div className={styles.line}>
          <label>
            {t("How far")}{" "}
            <select value={view.for ?? SPAN} onChange={(event) => set({ for: chooseSpan(event.target.value) })}>
              {SPANS.map((span) => (
                <option key={span} value={span}>
                  {t(SPAN_WORDS[span])}
                </option>
              ))}
            </select>
          </label>
          {changes.length > 0 && <AsFile scenario={scenario} />}
          <Link to="/forecast" search={{}}>
            {t("Forecast")}
          </Link>
        </div>
      </section>
      {simulation.error && <Refusal error={simulation.error} />}
      {simulation.readError && (
        <Failure what={t("the simulation")} error={simulation.readError} retry={simulation.readAgain} />
      )}
      {changes.length === 0 && !job && <Examples />}
      {job?.state === "running" && <Progress job={job} />}
      {job?.state === "cancelled" && <p className="soft">{t("The simulation was cancelled.")}</p>}
      {job?.error && (
        <p className="notice" role="alert">
          {job.error}
        </p>
      )}
      {isStale && job.state !== "running" && (
        <p className="notice">{t("The changes are others than those of this answer: run it again.")}</p>
      )}
      {job?.answer && (
        <div className={isStale ? styles.stale : undefined}>
          <Outcome answer={job.answer} />
        </div>
      )}
    </>
  );
}

/** The same for scenarios that say the same. */
function writeKey(scenario: Scenario): string {
  return writeToml(Object.fromEntries(Object.entries(scenario).toSorted(([one], [other]) => one.localeCompare(other))));
}

function chooseSpan(value: string): SpanName | undefined {
  const span = SPANS.find((one) => one === value);
  return span === SPAN ? undefined : span;
}

interface SimulationState {
  job: Simulation | undefined;
  isBusy: boolean;
  error: Error | null;
  readError: Error | null;
  readAgain: () => void;
  run: (scenario: Scenario) => void;
  cancel: () => void;
}

function useSimulation(id: string | undefined, setId: (id: string) => void): SimulationState {
  const client = useQueryClient();
  const query = useQuery({ ...simulationQuery(id ?? ""), enabled: id !== undefined });
  const keep = (job: Simulation) => client.setQueryData(simulationQuery(job.simulation_id).queryKey, job);
  const start = useMutation({
    mutationFn: (scenario: Scenario) => post("/api/gnomon/v1/simulations", { body: { scenario } }),
    onSuccess: (job) => {
      keep(job);
      setId(job.simulation_id);
    },
  });
  const cancel = useMutation({
    mutationFn: (simulationId: string) =>
      remove("/api/gnomon/v1/simulations/{simulation_id}", { path: { simulation_id: simulationId } }),
    onSuccess: keep,
    onError: (fault) => showToast(fault.message, undefined, true),
  });
  const job = query.data ?? undefined;
  return {
    job,
    isBusy: start.isPending,
    error: start.error,
    readError: query.isError ? query.error : null,
    readAgain: () => void query.refetch(),
    run: (scenario) => start.mutate(scenario),
    cancel: () => job && cancel.mutate(job.simulation_id),
  };
}

interface ActsProps {
  simulation: SimulationState;
  scenario: Scenario;
  hasChanges: boolean;
}

function Acts({ simulation, scenario, hasChanges }: ActsProps) {
  const may = useMay("create simulation");
  if (simulation.job?.state === "running")
    return (
      <Button icon={CloseIcon} onClick={simulation.cancel}>
        {t("Cancel")}
      </Button>
    );
  const why = may ? t("Add a change first.") : t("Your account may not start simulations.");
  return (
    <Button
      look="primary"
      icon={RunIcon}
      isBusy={simulation.isBusy}
      disabled={!may || !hasChanges}
      why={why}
      onClick={() => simulation.run(scenario)}
    >
      {t("Simulate")}
    </Button>
  );
}

function Progress({ job }: { job: Simulation }) {
  const words = t("{done} of {count} futures drawn, {span}", {
    done: formatCount(job.samples_done),
    count: job.samples,
    span: formatDuration(job.seconds),
  });
  return (
    <div className={styles.progress}>
      <progress max={job.samples} value={job.samples_done || undefined} aria-label={t("Progress of the simulation")} />
      <span role="status">{job.samples_done === 0 ? t("Reading the state …") : words}</span>
    </div>
  );
}

function AsFile({ scenario }: { scenario: Scenario }) {
  const toml = writeToml(scenario);
  const [said, setSaid] = useState("");
  const copy = () =>
    navigator.clipboard?.writeText(toml).then(
      () => setSaid(t("Copied.")),
      () => setSaid(t("The browser does not allow it: select the text and copy it.")),
    );
  return (
    <Popover label={t("As a file for gnomon simulate")}>
      <div className={styles.file}>
        <pre lang="en">{toml}</pre>
        <div className="acts">
          <Button icon={CopyIcon} onClick={() => void copy()}>
            {t("Copy")}
          </Button>
          <span role="status">{said}</span>
        </div>
      </div>
    </Popover>
  );
}

function Examples() {
  const examples: [string, string[]][] = [
    [t("a task takes half as long again"), ["set orders.load=+50%"]],
    [t("a pool has one slot"), ["pool default_pool=1"]],
    [
      t("a DAG does not run, and another one must still be done in time"),
      ["freeze orders", "expect report ends before 07:00"],
    ],
  ];
  return (
    <section className={styles.examples}>
      <p>{t("Add a change, or begin with one of these and put in your own names:")}</p>
      <ul className="lines">
        {examples.map(([words, change]) => (
          <li key={words}>
            <Link to="/what-if" search={{ change }}>
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
