/** The grid of a DAG and its coming runs. */

import { useInfiniteQuery, type UseQueryResult } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { gridPiecesQuery } from "../../api/dagViews";
import type { Grid as GridData } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { DayField } from "../../components/filters/ZonedFields";
import { MoreFilters } from "../../components/filters/MoreFilters";
import { SearchField } from "../../components/SearchField";
import { stateName, typeName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { Grid } from "./Grid";
import { joinPieces } from "./gridPieces";
import { FOLD_ABOVE } from "./gridRows";
import { chooseRuns, type DagView, RUNS_SHOWN } from "./gridView";
import { NextRuns } from "./NextRuns";

const COUNTS = [10, 25, 50, 100, 365];
const RUN_STATES = ["queued", "running", "success", "failed"];
const RUN_TYPES = ["scheduled", "manual", "backfill", "asset_triggered"];

const route = getRouteApi("/dags/$dagId/");

export function DagPage() {
  const { dagId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: DagView) =>
    void navigate({ to: "/dags/$dagId", params: { dagId }, search: { ...view, ...some }, replace: true });
  const grid = useGrid(dagId, view);
  return (
    <>
      <section>
        <h2>{t("Runs")}</h2>
        <GridFilters view={view} set={set} />
        <Answer query={grid} what={t("the grid")}>
          {(found) => <Shown grid={found} view={view} set={set} />}
        </Answer>
      </section>
      <NextRuns dagId={dagId} />
    </>
  );
}

/** The grid as far as it is read: the newest runs first, the others by and by. */
function useGrid(dagId: string, view: DagView): UseQueryResult<GridData> {
  const pieces = useInfiniteQuery(gridPiecesQuery(dagId, chooseRuns(view), view.runs ?? RUNS_SHOWN, view.before));
  const { hasNextPage, isFetching, isError, fetchNextPage } = pieces;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const data = useMemo(() => pieces.data && joinPieces(pieces.data.pages), [pieces.data]);
  return { ...pieces, data } as unknown as UseQueryResult<GridData>;
}

function GridFilters({ view, set }: { view: DagView; set: (some: DagView) => void }) {
  const count = view.runs ?? RUNS_SHOWN;
  const narrow = (some: DagView) => set({ ...some, before: undefined });
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        {t("Runs")}{" "}
        <select value={count} onChange={(event) => set({ runs: Number(event.target.value) })}>
          {[...new Set([...COUNTS, count])]
            .toSorted((a, b) => a - b)
            .map((one) => (
              <option key={one}>{one}</option>
            ))}
        </select>
      </label>
      <SearchField label={t("Task")} value={view.task} onChange={(task) => set({ task })} />
      <label>
        {t("Tasks shown")}{" "}
        <select
          value={view.state ?? ""}
          onChange={(event) => set({ state: (event.target.value || undefined) as DagView["state"] })}
        >
          <option value="">{t("all")}</option>
          <option value="failed">{t("only those that failed")}</option>
          <option value="unfinished">{t("only those that have not ended")}</option>
        </select>
      </label>
      <MoreFilters holds={[view.run_state, view.type, view.from, view.to].filter((one) => one !== undefined).length}>
        <label>
          {t("Runs shown")}{" "}
          <select
            value={view.run_state ?? ""}
            onChange={(event) => narrow({ run_state: event.target.value || undefined })}
          >
            <option value="">{t("all")}</option>
            {RUN_STATES.map((one) => (
              <option key={one} value={one}>
                {stateName(one)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("Type")}{" "}
          <select value={view.type ?? ""} onChange={(event) => narrow({ type: event.target.value || undefined })}>
            <option value="">{t("all")}</option>
            {RUN_TYPES.map((one) => (
              <option key={one} value={one}>
                {typeName(one)}
              </option>
            ))}
          </select>
        </label>
        <DayField label={t("due from")} value={view.from} onChange={(from) => narrow({ from })} />
        <DayField label={t("due to")} isLast value={view.to} onChange={(to) => narrow({ to })} />
      </MoreFilters>
    </form>
  );
}

function Shown({ grid, view, set }: { grid: GridData; view: DagView; set: (some: DagView) => void }) {
  const { groups, task_ids } = grid;
  const count = task_ids.length;
  const folded = useMemo(() => readFolded(groups, count, view.fold), [groups, count, view.fold]);
  const setFolded = (next: ReadonlySet<string>) =>
    set({ fold: next.size === 0 ? "-" : [...next].toSorted().join(",") });
  const toggle = (group: string) => {
    const next = new Set(folded);
    if (!next.delete(group)) next.add(group);
    setFolded(next);
  };
  const isFiltered =
    view.run_state !== undefined ||
    view.type !== undefined ||
    view.from !== undefined ||
    view.to !== undefined ||
    view.before !== undefined;
  if (grid.runs.length === 0)
    return <p>{isFiltered ? t("No run fits these filters.") : t("This DAG has had no run yet.")}</p>;
  return (
    <>
      <div className="acts">
        {grid.has_older && (
          <button type="button" onClick={() => set({ before: grid.runs[0]?.run_id })}>
            ← {t("Older runs")}
          </button>
        )}
        {view.before !== undefined && (
          <button type="button" onClick={() => set({ before: undefined })}>
            {t("Newest runs")} →
          </button>
        )}
        {grid.groups.length > 0 && (
          <button type="button" onClick={() => setFolded(new Set(grid.groups.map((group) => group.group_id)))}>
            {t("Fold all groups")}
          </button>
        )}
        {grid.groups.length > 0 && (
          <button type="button" onClick={() => setFolded(new Set())}>
            {t("Open all groups")}
          </button>
        )}
        <Link to="/runs" search={{ dag_id: grid.dag_id }}>
          {t("All runs of this DAG")}
        </Link>
      </div>
      <Grid
        grid={grid}
        choice={{ search: view.task ?? "", only: view.state, folded }}
        toggleGroup={toggle}
        toggleFailed={() => set({ state: view.state === "failed" ? undefined : "failed" })}
      />
    </>
  );
}

/** Group ids have no comma. */
function readFolded(groups: GridData["groups"], taskCount: number, fold: string | undefined): ReadonlySet<string> {
  if (fold !== undefined) return new Set(fold === "-" ? [] : fold.split(","));
  return new Set(taskCount > FOLD_ABOVE ? groups.map((group) => group.group_id) : []);
}
