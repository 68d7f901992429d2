/** The addresses of the page. What a view shows is in its address, so that a link opens what its sender saw. Each page is loaded when it is opened. */

import type { QueryClient } from "@tanstack/react-query";
import { createRoute, createRouter } from "@tanstack/react-router";
import { ViewError } from "./components/ViewError";
import { administrationRoutes } from "./pages/administrationRoutes";
import { dagRoutes } from "./pages/dagRoutes";
import { HomePage } from "./pages/home/HomePage";
import { readHomeSearch } from "./pages/home/homeView";
import { root } from "./pages/rootRoute";
import { scheduleRoutes } from "./pages/scheduleRoutes";
import { readHome } from "./pages/viewData";

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: HomePage,
  validateSearch: readHomeSearch,
  loader: ({ context }) => readHome(context.client),
});

const routes = root.addChildren([home, ...dagRoutes, ...scheduleRoutes, ...administrationRoutes]);

export function createPageRouter(client: QueryClient) {
  // The queries know which answers are fresh, so that each opening of a view asks them.
  return createRouter({
    routeTree: routes,
    context: { client },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultStaleTime: 0,
    defaultErrorComponent: ViewError,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}
