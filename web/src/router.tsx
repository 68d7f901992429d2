/** The addresses of the page. What a view shows is in its address, so that a link opens what its sender saw. */

import { createRootRoute, createRoute, createRouter, Link } from "@tanstack/react-router";
import type { DagFilters } from "./api/queries";
import { Layout } from "./components/Layout";
import { DagPage, type DagView } from "./pages/dag/DagPage";
import { DagsPage } from "./pages/dags/DagsPage";
import { HomePage } from "./pages/home/HomePage";
import { RunPage } from "./pages/run/RunPage";
import { TaskPage, type TaskView } from "./pages/task/TaskPage";

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: ({ error }) => <p role="alert">{String(error)}</p> });

const home = createRoute({ getParentRoute: () => root, path: "/", component: HomePage });

const dags = createRoute({
  getParentRoute: () => root, path: "/dags", component: DagsRoute,
  validateSearch: (search: Record<string, unknown>): DagFilters => {
    const page = Number(search.page ?? 1);
    return {
      search: text(search.search), tag: text(search.tag), state: text(search.state), errors: search.errors === "true" ? "true" : undefined,
      paused: search.paused === "true" || search.paused === "false" ? search.paused : undefined, page: Number.isInteger(page) && page > 1 ? page : undefined,
    };
  },
});

const dag = createRoute({
  getParentRoute: () => root, path: "/dags/$dagId", component: DagRoute,
  validateSearch: (search: Record<string, unknown>): DagView => {
    const runs = Number(search.runs ?? 25);
    return { runs: Number.isInteger(runs) && runs > 0 && runs <= 365 && runs !== 25 ? runs : undefined, state: text(search.state), task: text(search.task) };
  },
});

const run = createRoute({ getParentRoute: () => root, path: "/dags/$dagId/runs/$runId", component: RunRoute });

const task = createRoute({
  getParentRoute: () => root, path: "/dags/$dagId/runs/$runId/tasks/$taskId", component: TaskRoute,
  validateSearch: (search: Record<string, unknown>): TaskView => ({ map: count(search.map), try: count(search.try), find: text(search.find) }),
});

function DagsRoute() {
  return <DagsPage filters={dags.useSearch()} />;
}

function DagRoute() {
  return <DagPage dagId={dag.useParams().dagId} view={dag.useSearch()} />;
}

function RunRoute() {
  const { dagId, runId } = run.useParams();
  return <RunPage dagId={dagId} runId={runId} />;
}

function TaskRoute() {
  const { dagId, runId, taskId } = task.useParams();
  return <TaskPage dagId={dagId} runId={runId} taskId={taskId} view={task.useSearch()} />;
}

function NotFound() {
  return <p>There is no such page. <Link to="/dags" search={{}}>All DAGs</Link></p>;
}

function text(value: unknown): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : String(value);
}

function count(value: unknown): number | undefined {
  const number = Number(value);
  return value !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

export function createPageRouter() {
  return createRouter({ routeTree: root.addChildren([home, dags, dag, run, task]), defaultPreload: "intent", scrollRestoration: true });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}
