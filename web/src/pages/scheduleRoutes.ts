/** The addresses of what lies across DAGs: dependencies, timetables, assets, backfills. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { AssetFilters, BackfillFilters } from "../api/across";
import { count, day, oneOf, pageNumber, readerOf, text } from "../state/searchValues";
import type { BaselinesView } from "./baselines/baselinesView";
import type { DayView } from "./dependencies/DayPage";
import type { GraphView } from "./dependencies/graphView";
import { type ForecastView, readHours } from "./forecast/forecastView";
import { root } from "./rootRoute";
import { readDay } from "./viewData";
import { readLab } from "./timetables/labView";
import { READERS, type WhatIfView } from "./whatIf/whatIfView";

const dependencies = createRoute({
  getParentRoute: () => root,
  path: "/dependencies",
  component: lazyRouteComponent(() => import("./dependencies/DayPage"), "DayPage"),
  validateSearch: readerOf<DayView>({
    dag: text,
    day: day,
    first: count || undefined,
    zone: oneOf(["page"]),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => readDay(context.client, deps.dag, deps.day, deps.first),
});

const dagGraph = createRoute({
  getParentRoute: () => root,
  path: "/dependencies/graph",
  component: lazyRouteComponent(() => import("./dependencies/GraphPage"), "GraphPage"),
  validateSearch: readerOf<GraphView>({
    fold: oneOf(["none", "folder", "tag", "owner"]),
    open: text,
    find: text,
    dag: text,
    assets: oneOf(["hidden"]),
    node: text,
    as: oneOf(["table"]),
  }),
});

const timetables = createRoute({
  getParentRoute: () => root,
  path: "/timetables",
  component: lazyRouteComponent(() => import("./timetables/LabPage"), "LabPage"),
  validateSearch: readLab,
});

const assets = createRoute({
  getParentRoute: () => root,
  path: "/assets",
  component: lazyRouteComponent(() => import("./assets/AssetsPage"), "AssetsPage"),
  validateSearch: readerOf<AssetFilters>({ search: text, page: pageNumber }),
});

const asset = createRoute({
  getParentRoute: () => root,
  path: "/assets/$assetId",
  component: lazyRouteComponent(() => import("./assets/AssetPage"), "AssetPage"),
  validateSearch: readerOf<{ page?: number }>({ page: pageNumber }),
});

const backfills = createRoute({
  getParentRoute: () => root,
  path: "/backfills",
  component: lazyRouteComponent(() => import("./backfills/BackfillsPage"), "BackfillsPage"),
  validateSearch: readerOf<BackfillFilters>({
    dag: text,
    state: oneOf(["planning", "running", "paused", "cancelled", "complete"]),
    page: pageNumber,
  }),
});

const baselines = createRoute({
  getParentRoute: () => root,
  path: "/baselines",
  component: lazyRouteComponent(() => import("./baselines/BaselinesPage"), "BaselinesPage"),
  validateSearch: readerOf<BaselinesView>({
    search: text,
    level: oneOf(["safe", "at_risk", "certain_breach", "broken", "met"]),
  }),
});

const baseline = createRoute({
  getParentRoute: () => root,
  path: "/baselines/$name",
  component: lazyRouteComponent(() => import("./baselines/BaselinePage"), "BaselinePage"),
});

const forecast = createRoute({
  getParentRoute: () => root,
  path: "/forecast",
  component: lazyRouteComponent(() => import("./forecast/ForecastPage"), "ForecastPage"),
  validateSearch: readerOf<ForecastView>({ search: text, hours: readHours }),
});

const whatIf = createRoute({
  getParentRoute: () => root,
  path: "/what-if",
  component: lazyRouteComponent(() => import("./whatIf/WhatIfPage"), "WhatIfPage"),
  validateSearch: readerOf<WhatIfView>(READERS),
});

const accuracy = createRoute({
  getParentRoute: () => root,
  path: "/forecast/accuracy",
  component: lazyRouteComponent(() => import("./forecast/AccuracyPage"), "AccuracyPage"),
  validateSearch: readerOf<{ search?: string | undefined }>({ search: text }),
});

export const scheduleRoutes = [
  dependencies,
  dagGraph,
  timetables,
  assets,
  asset,
  backfills,
  baselines,
  baseline,
  forecast,
  whatIf,
  accuracy,
] as const;
