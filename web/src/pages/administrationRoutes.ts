/** The addresses of work in progress and of administration. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { AuditFilters, ListFilters, PoolFilters } from "../api/administration";
import { count, flag, instant, oneOf, pageNumber, readerOf, text, type Readers } from "../state/searchValues";
import type { OptionFilters } from "./installation/chooseOptions";
import { root } from "./rootRoute";

const LIST: Readers<ListFilters> = { search: text, page: pageNumber };
const readList = readerOf(LIST);

const triggers = createRoute({
  getParentRoute: () => root,
  path: "/triggers",
  component: lazyRouteComponent(() => import("./triggers/TriggersPage"), "TriggersPage"),
  validateSearch: readerOf<{ dag?: string; after?: number }>({
    dag: text,
    after: count,
  }),
});

const pools = createRoute({
  getParentRoute: () => root,
  path: "/pools",
  component: lazyRouteComponent(() => import("./pools/PoolsPage"), "PoolsPage"),
  validateSearch: readerOf<PoolFilters>({ ...LIST, pool: text, open: text }),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  component: lazyRouteComponent(() => import("./inbox/InboxPage"), "InboxPage"),
  validateSearch: readerOf<{ view?: "answered"; page?: number }>({
    view: oneOf(["answered"]),
    page: pageNumber,
  }),
});

const connections = createRoute({
  getParentRoute: () => root,
  path: "/connections",
  component: lazyRouteComponent(() => import("./connections/ConnectionsPage"), "ConnectionsPage"),
  validateSearch: readList,
});

const variables = createRoute({
  getParentRoute: () => root,
  path: "/variables",
  component: lazyRouteComponent(() => import("./variables/VariablesPage"), "VariablesPage"),
  validateSearch: readList,
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
  validateSearch: readerOf<OptionFilters>({
    search: text,
    section: text,
    only: oneOf(["set", "idle"]),
  }),
});

const gallery = createRoute({
  getParentRoute: () => root,
  path: "/gallery",
  component: lazyRouteComponent(() => import("./gallery/GalleryPage"), "GalleryPage"),
});

const users = createRoute({
  getParentRoute: () => root,
  path: "/users",
  component: lazyRouteComponent(() => import("./users/UsersPage"), "UsersPage"),
  validateSearch: readList,
});

const tokens = createRoute({
  getParentRoute: () => root,
  path: "/tokens",
  component: lazyRouteComponent(() => import("./users/TokensPage"), "TokensPage"),
  validateSearch: readList,
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
  validateSearch: readerOf<AuditFilters>({
    user: text,
    dag: text,
    run: text,
    event: text,
    after: instant,
    before: instant,
    all: flag,
    page: pageNumber,
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
  gallery,
  options,
  users,
  tokens,
  account,
  audit,
  services,
] as const;
