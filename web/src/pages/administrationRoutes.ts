/** The addresses of work in progress and of administration. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { AuditFilters, ListFilters, PoolFilters } from "../api/administration";
import { count, instant, one, pageNumber, text, type Search } from "../state/searchValues";
import type { OptionFilters } from "./installation/chooseOptions";
import { root } from "./rootRoute";

function list(search: Search): ListFilters {
  return { search: text(search.search), page: pageNumber(search.page) };
}

const triggers = createRoute({
  getParentRoute: () => root,
  path: "/triggers",
  component: lazyRouteComponent(() => import("./triggers/TriggersPage"), "TriggersPage"),
  validateSearch: (search: Search): { dag?: string; after?: number } => ({
    dag: text(search.dag),
    after: count(search.after),
  }),
});

const pools = createRoute({
  getParentRoute: () => root,
  path: "/pools",
  component: lazyRouteComponent(() => import("./pools/PoolsPage"), "PoolsPage"),
  validateSearch: (search: Search): PoolFilters => ({ ...list(search), pool: text(search.pool) }),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  component: lazyRouteComponent(() => import("./inbox/InboxPage"), "InboxPage"),
  validateSearch: (search: Search): { view?: "answered"; page?: number } => ({
    view: one(["answered"], search.view),
    page: pageNumber(search.page),
  }),
});

const connections = createRoute({
  getParentRoute: () => root,
  path: "/connections",
  component: lazyRouteComponent(() => import("./connections/ConnectionsPage"), "ConnectionsPage"),
  validateSearch: list,
});

const variables = createRoute({
  getParentRoute: () => root,
  path: "/variables",
  component: lazyRouteComponent(() => import("./variables/VariablesPage"), "VariablesPage"),
  validateSearch: list,
});

const plugins = createRoute({
  getParentRoute: () => root,
  path: "/plugins",
  component: lazyRouteComponent(() => import("./installation/PluginsPage"), "PluginsPage"),
});

const providers = createRoute({
  getParentRoute: () => root,
  path: "/providers",
  component: lazyRouteComponent(() => import("./installation/ProvidersPage"), "ProvidersPage"),
});

const options = createRoute({
  getParentRoute: () => root,
  path: "/options",
  component: lazyRouteComponent(() => import("./installation/OptionsPage"), "OptionsPage"),
  validateSearch: (search: Search): OptionFilters => ({
    search: text(search.search),
    section: text(search.section),
    only: one(["set", "idle"], search.only),
  }),
});

const users = createRoute({
  getParentRoute: () => root,
  path: "/users",
  component: lazyRouteComponent(() => import("./users/UsersPage"), "UsersPage"),
  validateSearch: list,
});

const tokens = createRoute({
  getParentRoute: () => root,
  path: "/tokens",
  component: lazyRouteComponent(() => import("./users/TokensPage"), "TokensPage"),
  validateSearch: list,
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("./account/AccountPage"), "AccountPage"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  component: lazyRouteComponent(() => import("./audit/AuditPage"), "AuditPage"),
  validateSearch: (search: Search): AuditFilters => ({
    user: text(search.user),
    dag: text(search.dag),
    run: text(search.run),
    event: text(search.event),
    after: instant(search.after),
    before: instant(search.before),
    page: pageNumber(search.page),
  }),
});

const services = createRoute({
  getParentRoute: () => root,
  path: "/services",
  component: lazyRouteComponent(() => import("./services/ServicesPage"), "ServicesPage"),
});

export const administrationRoutes = [
  triggers,
  pools,
  inbox,
  connections,
  variables,
  plugins,
  providers,
  options,
  users,
  tokens,
  account,
  audit,
  services,
] as const;
