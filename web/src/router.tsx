/** The addresses of the page. What a view shows is in its address, so that a link opens what its sender saw. Each page is loaded when it is opened. */

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { DagFilters } from "./api/queries";
import { Layout } from "./components/Layout";
import type { DagView } from "./pages/dag/DagPage";
import { HomePage } from "./pages/home/HomePage";
import type { TaskView } from "./pages/task/TaskPage";
import { t } from "./state/language";

type Search = Record<string, unknown>;

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: ({ error }) => <p role="alert">{String(error)}</p> });

const home = createRoute({ getParentRoute: () => root, path: "/", component: HomePage });

const dags = createRoute({
  getParentRoute: () => root, path: "/dags", component: lazyRouteComponent(() => import("./pages/dags/DagsPage"), "DagsPage"),
  validateSearch: (search: Search): DagFilters => {
    const page = Number(search.page ?? 1);
    return {
      search: text(search.search), tag: text(search.tag), state: text(search.state), errors: String(search.errors) === "true" ? "true" : undefined,
      paused: one(["true", "false"], search.paused), page: Number.isInteger(page) && page > 1 ? page : undefined,
    };
  },
});

const dag = createRoute({ getParentRoute: () => root, path: "/dags/$dagId", component: lazyRouteComponent(() => import("./pages/dag/DagFrame"), "DagFrame") });

const dagGrid = createRoute({
  getParentRoute: () => dag, path: "/", component: lazyRouteComponent(() => import("./pages/dag/DagPage"), "DagPage"),
  validateSearch: (search: Search): DagView => {
    const runs = Number(search.runs ?? 25);
    return { runs: Number.isInteger(runs) && runs > 0 && runs <= 365 && runs !== 25 ? runs : undefined, state: text(search.state), task: text(search.task) };
  },
});

const run = createRoute({ getParentRoute: () => root, path: "/dags/$dagId/runs/$runId", component: lazyRouteComponent(() => import("./pages/run/RunPage"), "RunPage") });

const task = createRoute({
  getParentRoute: () => root, path: "/dags/$dagId/runs/$runId/tasks/$taskId", component: lazyRouteComponent(() => import("./pages/task/TaskPage"), "TaskPage"),
  validateSearch: (search: Search): TaskView => ({ map: count(search.map), try: count(search.try), find: text(search.find) }),
});

function NotFound() {
  return <p>{t("There is no page at this address. All pages are in the navigation.")}</p>;
}

function text(value: unknown): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : String(value);
}

function count(value: unknown): number | undefined {
  const number = Number(value);
  return value !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

/** The value if it is one of the values. */
function one<T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((each) => each === String(value));
}

const routes = root.addChildren([home, dags, dag.addChildren([dagGrid]), run, task]);

export function createPageRouter() {
  return createRouter({ routeTree: routes, defaultPreload: "intent", scrollRestoration: true });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}
