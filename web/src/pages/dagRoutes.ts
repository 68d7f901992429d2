/** The addresses of DAGs, their runs and their tasks. */

import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import type { AuditFilters } from "../api/plans";
import { findDefault, loadViews } from "../state/savedViews";
import { count, day, instant, readerOf, type Search, text } from "../state/searchValues";
import type { CalendarView } from "./dag/calendar/CalendarPage";
import type { CodeView } from "./dag/code/CodePage";
import { chooseRuns, readDagView, RUNS_SHOWN } from "./dag/gridView";
import { readGraphView } from "./dag/graph/graphView";
import { readDagSearch } from "./dags/dagFilters";
import { root } from "./rootRoute";
import { readGanttView } from "./run/gantt/ganttView";
import { readRunView } from "./run/runSearch";
import { readRunSearch } from "./runs/runFilters";
import { readTaskView } from "./task/taskSearch";
import { readTaskSearch } from "./tasks/taskFilters";
import {
  readCalendar,
  readCode,
  readDag,
  readDags,
  readDetails,
  readGantt,
  readGraph,
  readGrid,
  readRun,
  readRuns,
  readRunTasks,
  readTask,
  readTasks,
} from "./viewData";

function calendarYear(value: unknown): number | undefined {
  const year = count(value);
  return year !== undefined && year >= 1970 && year <= 8999 ? year : undefined;
}

/** Go to the default view of a list whose address has no filters. */
async function openDefault(
  path: "/dags" | "/runs" | "/tasks",
  search: object,
  cause: string,
  read: (search: Search) => object,
): Promise<void> {
  if (cause === "stay" || Object.keys(search).length > 0) return;
  await loadViews();
  const chosen = cause === "enter" ? findDefault(path) : undefined;
  if (chosen && Object.keys(chosen).length > 0) throw redirect({ to: path, search: read(chosen), replace: true });
}

const dags = createRoute({
  getParentRoute: () => root,
  path: "/dags",
  component: lazyRouteComponent(() => import("./dags/DagsPage"), "DagsPage"),
  validateSearch: readDagSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => readDags(context.client, deps),
  beforeLoad: ({ search, cause }) => openDefault("/dags", search, cause, readDagSearch),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  component: lazyRouteComponent(() => import("./runs/RunsPage"), "RunsPage"),
  validateSearch: readRunSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => readRuns(context.client, deps),
  beforeLoad: ({ search, cause }) => openDefault("/runs", search, cause, readRunSearch),
});

const tasks = createRoute({
  getParentRoute: () => root,
  path: "/tasks",
  component: lazyRouteComponent(() => import("./tasks/TasksPage"), "TasksPage"),
  validateSearch: readTaskSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => readTasks(context.client, deps),
  beforeLoad: ({ search, cause }) => openDefault("/tasks", search, cause, readTaskSearch),
});

const dag = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId",
  component: lazyRouteComponent(() => import("./dag/DagFrame"), "DagFrame"),
  loader: ({ context, params }) => readDag(context.client, params.dagId),
});

const dagGrid = createRoute({
  getParentRoute: () => dag,
  path: "/",
  component: lazyRouteComponent(() => import("./dag/DagPage"), "DagPage"),
  validateSearch: readDagView,
  loaderDeps: ({ search }) => ({ filters: chooseRuns(search), runs: search.runs ?? RUNS_SHOWN, before: search.before }),
  loader: ({ context, params, deps }) => readGrid(context.client, params.dagId, deps.filters, deps.runs, deps.before),
});

const dagGraph = createRoute({
  getParentRoute: () => dag,
  path: "/graph",
  component: lazyRouteComponent(() => import("./dag/graph/GraphPage"), "GraphPage"),
  validateSearch: readGraphView,
  loaderDeps: ({ search }) => ({ run: search.run }),
  loader: ({ context, params, deps }) => void readGraph(context.client, params.dagId, deps.run),
});

const dagTrigger = createRoute({
  getParentRoute: () => dag,
  path: "/trigger",
  component: lazyRouteComponent(() => import("./dag/trigger/TriggerPage"), "TriggerPage"),
});

const dagBackfill = createRoute({
  getParentRoute: () => dag,
  path: "/backfill",
  component: lazyRouteComponent(() => import("./dag/backfill/BackfillPage"), "BackfillPage"),
});

const dagCalendar = createRoute({
  getParentRoute: () => dag,
  path: "/calendar",
  component: lazyRouteComponent(() => import("./dag/calendar/CalendarPage"), "CalendarPage"),
  loaderDeps: ({ search }) => ({ year: search.year }),
  loader: ({ context, params, deps }) => readCalendar(context.client, params.dagId, deps.year),
  validateSearch: readerOf<CalendarView>({ year: calendarYear, day }),
});

const dagCode = createRoute({
  getParentRoute: () => dag,
  path: "/code",
  component: lazyRouteComponent(() => import("./dag/code/CodePage"), "CodePage"),
  loader: ({ context, params }) => readCode(context.client, params.dagId),
  validateSearch: readerOf<CodeView>({
    version: count,
    against: count,
    line: count,
  }),
});

const dagDetails = createRoute({
  getParentRoute: () => dag,
  path: "/details",
  component: lazyRouteComponent(() => import("./dag/details/DetailsPage"), "DetailsPage"),
  loader: ({ context, params }) => readDetails(context.client, params.dagId),
});

const dagAudit = createRoute({
  getParentRoute: () => dag,
  path: "/audit",
  component: lazyRouteComponent(() => import("./dag/audit/AuditPage"), "AuditPage"),
  validateSearch: readerOf<AuditFilters>({
    event: text,
    by: text,
    run: text,
    from: instant,
    to: instant,
  }),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId",
  component: lazyRouteComponent(() => import("./run/RunFrame"), "RunFrame"),
  loader: ({ context, params }) => readRun(context.client, params.dagId, params.runId),
});

const runTasks = createRoute({
  getParentRoute: () => run,
  path: "/",
  component: lazyRouteComponent(() => import("./run/RunPanes"), "RunPanes"),
  validateSearch: readRunView,
  loader: ({ context, params }) => readRunTasks(context.client, params.dagId, params.runId),
});

const runGantt = createRoute({
  getParentRoute: () => run,
  path: "/gantt",
  component: lazyRouteComponent(() => import("./run/gantt/GanttPage"), "GanttPage"),
  validateSearch: readGanttView,
  loader: ({ context, params }) => readGantt(context.client, params.dagId, params.runId),
});

const task = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/tasks/$taskId",
  component: lazyRouteComponent(() => import("./task/TaskPage"), "TaskPage"),
  validateSearch: readTaskView,
  loaderDeps: ({ search }) => ({ map: search.map }),
  loader: ({ context, params, deps }) =>
    void readTask(context.client, params.dagId, params.runId, params.taskId, deps.map),
});

export const dagRoutes = [
  dags,
  runs,
  tasks,
  dag.addChildren([dagGrid, dagGraph, dagTrigger, dagBackfill, dagCalendar, dagCode, dagDetails, dagAudit]),
  run.addChildren([runTasks, runGantt]),
  task,
] as const;
