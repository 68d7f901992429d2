/** The grid of a DAG and its coming runs. */

import { useInfiniteQuery, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { gridPiecesQuery } from "../../api/dagViews";
import { nextRunsQuery } from "../../api/queries";
import type { Grid as GridData } from "../../api/shapes";
import { Act } from "../../components/Act";
import { Answer } from "../../components/Answer";
import { useNarrow } from "../../components/useNarrow";
import { t } from "../../state/language";
import { Button, buttonClass } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { GridIcon, RunIcon, SearchIcon } from "../../ui/icons";
import { Grid, type GridSelection, pageHref } from "./Grid";
import type { PlannedRun } from "./GridHead";
import { joinPieces } from "./gridPieces";
import { FOLD_ABOVE, selectRows } from "./gridRows";
import { GridSheet } from "./GridSheet";
import { GridToolbar } from "./GridToolbar";
import { chooseRuns, closeSheet, type DagView, openSheet, RUNS_SHOWN } from "./gridView";
import { NextRuns } from "./NextRuns";

/** So many coming runs stand behind those there are. */
const PLANNED_MAX = 3;

const route = getRouteApi("/dags/$dagId/");

export function DagPage() {
  const { dagId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  const go = (search: DagView, replace: boolean) =>
    void navigate({ to: "/dags/$dagId", params: { dagId }, search, replace, resetScroll: false });
  const set = (some: DagView) => go({ ...view, ...some }, true);
  const query = useGrid(dagId, view);
  const grid = query.data;
  const folded = useFolded(grid, view.fold);
  const rows = useMemo(
    () => grid && selectRows(grid, { search: view.task ?? "", only: view.state, folded }),
    [grid, view.task, view.state, folded],
  );
  const shown = useMemo(() => rows && new Set(rows.flatMap((row) => row.tasks)).size, [rows]);
  const planned = usePlanned(dagId, view, useNarrow() ? 1 : PLANNED_MAX);
  const setFolded = (next: ReadonlySet<string>) =>
    set({ fold: next.size === 0 ? "-" : [...next].toSorted().join(",") });
  const toggleGroup = (group: string) => {
    const next = new Set(folded);
    if (!next.delete(group)) next.add(group);
    setFolded(next);
  };
  const select = ({ runId, taskId }: GridSelection) => go(openSheet(view, runId, taskId), view.run !== undefined);
  const openPage = (selection: GridSelection, isInTab: boolean) => {
    const href = pageHref(dagId, selection);
    if (isInTab) window.open(href, "_blank", "noopener");
    else router.history.push(href);
  };
  return (
    <>
      <section aria-label={t("Runs")}>
        <GridToolbar
          grid={grid}
          view={view}
          set={set}
          shown={shown}
          fold={(isFolded) => setFolded(new Set(isFolded ? grid?.groups.map((group) => group.group_id) : []))}
        />
        <Answer query={query} what={t("the grid")}>
          {(found) =>
            found.runs.length === 0 ? (
              <NoRuns dagId={dagId} view={view} set={set} />
            ) : rows?.length === 0 ? (
              <EmptyState
                icon={SearchIcon}
                title={t("No task fits.")}
                acts={<Button onClick={() => set({ task: undefined, state: undefined })}>{t("Show all tasks")}</Button>}
              />
            ) : (
              <Grid
                grid={found}
                rows={rows ?? []}
                planned={planned}
                selection={view.run === undefined ? undefined : { runId: view.run, taskId: view.instance }}
                select={select}
                openPage={openPage}
                toggleGroup={toggleGroup}
                toggleFailed={() => set({ state: view.state === "failed" ? undefined : "failed" })}
              />
            )
          }
        </Answer>
      </section>
      <NextRuns dagId={dagId} />
      <GridSheet
        dagId={dagId}
        view={view}
        set={(some) => go({ ...closeSheet(view), ...some }, true)}
        close={() => go(closeSheet(view), true)}
      />
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

const NO_RUNS: readonly PlannedRun[] = [];

/** The next coming runs, where the newest runs are shown and nothing narrows them. */
function usePlanned(dagId: string, view: DagView, count: number): readonly PlannedRun[] {
  const next = useQuery(nextRunsQuery(dagId)).data;
  const isWhole =
    view.before === undefined && view.to === undefined && view.run_state === undefined && view.type === undefined;
  return useMemo(
    () => (isWhole && next && next.blocked === null && !next.paused ? next.next_runs.slice(0, count) : NO_RUNS),
    [isWhole, next, count],
  );
}

/** Group ids have no comma. */
function useFolded(grid: GridData | undefined, fold: string | undefined): ReadonlySet<string> {
  const groups = grid?.groups;
  const taskCount = grid?.task_ids.length ?? 0;
  return useMemo(() => {
    if (fold !== undefined) return new Set(fold === "-" ? [] : fold.split(","));
    return new Set(taskCount > FOLD_ABOVE ? groups?.map((group) => group.group_id) : []);
  }, [groups, taskCount, fold]);
}

function NoRuns({ dagId, view, set }: { dagId: string; view: DagView; set: (some: DagView) => void }) {
  const isFiltered =
    view.run_state !== undefined ||
    view.type !== undefined ||
    view.from !== undefined ||
    view.to !== undefined ||
    view.before !== undefined;
  if (isFiltered)
    return (
      <EmptyState
        icon={SearchIcon}
        title={t("No run fits these filters.")}
        acts={
          <Button
            onClick={() =>
              set({ run_state: undefined, type: undefined, from: undefined, to: undefined, before: undefined })
            }
          >
            {t("Clear all filters")}
          </Button>
        }
      />
    );
  return (
    <EmptyState
      icon={GridIcon}
      title={t("This DAG has had no run yet.")}
      acts={
        <Act dagId={dagId}>
          <Link className={buttonClass()} to="/dags/$dagId/trigger" params={{ dagId }} search={{}}>
            <RunIcon size={16} strokeWidth={1.75} aria-hidden="true" />
            {t("Run it …")}
          </Link>
          <Link className={buttonClass()} to="/dags/$dagId/backfill" params={{ dagId }} search={{}}>
            {t("New backfill")}
          </Link>
        </Act>
      }
    >
      <p>{t("Each run is a column here, and each of its tasks a cell.")}</p>
    </EmptyState>
  );
}
