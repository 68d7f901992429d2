/** Run a DAG: a form of its params, the dates of the run, and what the run will be before one presses. */

import { Act } from "../../../components/Act";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type NewRun, useCreateRun } from "../../../api/plans";
import { dagQuery } from "../../../api/queries";
import type { DagDetails } from "../../../api/shapes";
import { Answer, Refusal } from "../../../components/Answer";
import { t } from "../../../state/language";
import { nameRun } from "../../../state/runNames";
import { readZone } from "../../../state/times";
import { showToast } from "../../../state/toasts";
import { Button } from "../../../ui/Button";
import { RunIcon } from "../../../ui/icons";
import { ConfForm } from "./ConfForm";
import { type RunDates, RunDatesForm, readDates } from "./RunDatesForm";
import { RunPreview, useRunPreview } from "./RunPreview";
import { useConfForm } from "./useConfForm";
import styles from "./trigger.module.css";

const route = getRouteApi("/dags/$dagId/trigger");

export function TriggerPage() {
  const { dagId } = route.useParams();
  return (
    <section className="plan-form">
      <h2>{t("Run it")}</h2>
      <Answer query={useQuery(dagQuery(dagId))} what={t("the DAG")}>
        {(dag) => (
          <Act
            dagId={dagId}
            otherwise={
              <p className="soft">
                {t("Your account may only read this DAG: to run it needs the role user, which an administrator gives.")}
              </p>
            }
          >
            <TriggerForm key={dag.latest_dag_version?.version_number ?? 0} dag={dag} />
          </Act>
        )}
      </Answer>
    </section>
  );
}

function TriggerForm({ dag }: { dag: DagDetails }) {
  const dagId = dag.dag_id;
  const form = useConfForm(dag.params ?? {});
  const [dates, setDates] = useState<RunDates>({
    hasLogicalDate: false,
    logicalDate: "",
    start: "",
    end: "",
    runAfter: "",
    runId: "",
    note: "",
  });
  const [pressed, setPressed] = useState(false);
  const create = useCreateRun(dagId);
  const navigate = useNavigate();
  const read = form.read();
  const { given, faults: dateFaults } = readDates(dates);
  const body: NewRun = { ...given, conf: read.conf };
  const preview = useRunPreview(dagId, body, Object.keys(dateFaults).length === 0);
  const isWrong =
    read.problem !== undefined || Object.keys(read.faults).length > 0 || Object.keys(dateFaults).length > 0;
  const submit = () => {
    setPressed(true);
    if (isWrong) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>(".plan-form [aria-invalid='true']")?.focus());
      return;
    }
    create.mutate(body, {
      onSuccess: (run) => {
        showToast(t("The run {run} is created.", { run: nameRun(run.dag_run_id, readZone()) }));
        void navigate({ to: "/dags/$dagId/runs/$runId", params: { dagId, runId: run.dag_run_id }, search: {} });
      },
    });
  };
  return (
    <form
      className={styles.columns}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div>
        <ConfForm form={form} serverFaults={preview.data?.conf_faults ?? {}} />
        <RunDatesForm dates={dates} set={setDates} faults={dateFaults} />
      </div>
      <div className={styles.side}>
        <RunPreview preview={preview} isPaused={dag.is_paused} dagId={dagId} />
        {pressed && isWrong && (
          <p className="notice" role="alert">
            {t("Some fields have no valid value: see what stands beside them.")}
          </p>
        )}
        {create.isError && <Refusal error={create.error} />}
        <Button type="submit" look="primary" icon={RunIcon} isBusy={create.isPending}>
          {t("Run now")}
        </Button>
        <p className="soft">
          {t("For dates of the past:")}{" "}
          <Link to="/dags/$dagId/backfill" params={{ dagId }}>
            {t("Backfills")}
          </Link>
        </p>
      </div>
    </form>
  );
}
