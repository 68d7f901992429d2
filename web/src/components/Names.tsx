/** Links to what a line is about: a DAG, its run, its task. */

import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { nameRun } from "../state/runNames";
import { useZone } from "../state/times";
import styles from "./names.module.css";

/** A name that may go on in the next line behind `_`, `.` and `-`, and not inside a word. */
export function WrappedName({ name }: { name: string }) {
  return name.split(/(?<=[_.-])(?=[^_.-])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

export function DagLink({ dagId }: { dagId: string }) {
  return (
    <Link className="name" to="/dags/$dagId" params={{ dagId }} search={{}}>
      <WrappedName name={dagId} />
    </Link>
  );
}

export function RunLink({ dagId, runId }: { dagId: string; runId: string }) {
  return (
    <Link className="name" to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} title={runId}>
      <RunName runId={runId} />
    </Link>
  );
}

/** What a run is called, in the chosen zone. */
export function RunName({ runId }: { runId: string }) {
  const name = nameRun(runId, useZone());
  return name === runId ? <WrappedName name={runId} /> : <>{name}</>;
}

interface Place {
  dagId: string;
  runId: string;
  taskId: string;
  mapIndex?: number | null;
}

export function TaskLink({ dagId, runId, taskId, mapIndex }: Place) {
  const isMapped = mapIndex !== undefined && mapIndex !== null && mapIndex >= 0;
  return (
    <Link
      className="name"
      to="/dags/$dagId/runs/$runId/tasks/$taskId"
      params={{ dagId, runId, taskId }}
      search={isMapped ? { map: mapIndex } : {}}
    >
      <WrappedName name={isMapped ? `${taskId} [${mapIndex}]` : taskId} />
    </Link>
  );
}

/** DAG, run and task, one behind the other. */
export function PlaceLinks(place: Place) {
  return (
    <span className={styles.place}>
      <DagLink dagId={place.dagId} /> <span aria-hidden="true">›</span>{" "}
      <RunLink dagId={place.dagId} runId={place.runId} /> <span aria-hidden="true">›</span> <TaskLink {...place} />
    </span>
  );
}
