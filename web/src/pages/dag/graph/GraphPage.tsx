/** The graph of a DAG with the states of one run: groups fold, and what fits is open. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { columnQuery, structureQuery } from "../../../api/dagViews";
import type { Structure } from "../../../api/shapes";
import { Answer } from "../../../components/Answer";
import { startWorker } from "../../../components/graph/layoutClient";
import { useNarrow } from "../../../components/useNarrow";
import { t, tn } from "../../../state/language";
import { RunPicker, useShownRun } from "../RunPicker";
import { chooseOpenGroups } from "./foldGraph";
import { type GraphView, readOpen, writeOpen } from "./graphView";
import { GraphTable } from "./GraphTable";
import { collectStates } from "./nodeStates";
import { TaskGraph } from "./TaskGraph";

const route = getRouteApi("/dags/$dagId/graph");
startWorker();

export function GraphPage() {
  const { dagId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: GraphView) =>
    void navigate({ to: "/dags/$dagId/graph", params: { dagId }, search: { ...view, ...some }, replace: true });
  const isNarrow = useNarrow();
  const isDown = view.down === undefined ? isNarrow : view.down === "yes";
  const { runId, isKnown } = useShownRun(dagId, view.run);
  const structure = useQuery({ ...structureQuery(dagId, runId), enabled: isKnown });
  return (
    <section>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <RunPicker dagId={dagId} chosen={view.run} choose={(run) => set({ run })} />
        {runId !== undefined && (
          <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>
            {t("Open the run")}
          </Link>
        )}
        <label>
          {t("Search")}{" "}
          <input
            type="search"
            value={view.find ?? ""}
            placeholder={t("part of a task id")}
            onChange={(event) => set({ find: event.target.value || undefined })}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={isDown}
            onChange={(event) =>
              set({ down: event.target.checked === isNarrow ? undefined : event.target.checked ? "yes" : "no" })
            }
          />{" "}
          {t("from top to bottom")}
        </label>
      </form>
      <Answer query={structure} what={t("the graph")}>
        {(found) => <Shown key={found.dag_id} structure={found} runId={runId} view={view} isDown={isDown} set={set} />}
      </Answer>
    </section>
  );
}

function Shown({
  structure,
  runId,
  view,
  isDown,
  set,
}: {
  structure: Structure;
  runId: string | undefined;
  view: GraphView;
  isDown: boolean;
  set: (some: GraphView) => void;
}) {
  const column = useQuery(columnQuery(structure.dag_id, runId)).data;
  const open = useMemo(() => readOpen(view.open) ?? chooseOpenGroups(structure), [view.open, structure]);
  const states = useMemo(() => collectStates(structure, column), [structure, column]);
  const setOpen = (next: ReadonlySet<string>) => set({ open: writeOpen(next) });
  const toggle = (group: string) => {
    const next = new Set(open);
    if (!next.delete(group)) next.add(group);
    setOpen(next);
  };
  if (structure.tasks.length === 0) return <p>{t("This DAG has no tasks.")}</p>;
  return (
    <>
      {structure.groups.length > 0 && (
        <div className="acts">
          <button type="button" onClick={() => setOpen(new Set())}>
            {t("Fold all groups")}
          </button>
          <button type="button" onClick={() => setOpen(new Set(structure.groups.map((group) => group.group_id)))}>
            {t("Open all groups")}
          </button>
          <span className="soft">
            {tn("{count} task", "{count} tasks", structure.tasks.length)},{" "}
            {tn("{count} group", "{count} groups", structure.groups.length)}
          </span>
        </div>
      )}
      <TaskGraph
        structure={structure}
        runId={runId}
        states={states}
        open={open}
        find={view.find ?? ""}
        direction={isDown ? "TB" : "LR"}
        toggle={toggle}
      />
      <GraphTable structure={structure} runId={runId} states={states} />
    </>
  );
}
