/** The addresses of what lies across DAGs: dependencies, timetables, assets, backfills. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { AssetFilters, BackfillFilters } from "../api/across";
import { count, day, one, pageNumber, text, type Search } from "../state/searchValues";
import type { DayView } from "./dependencies/DayPage";
import type { GraphView } from "./dependencies/GraphPage";
import { root } from "./rootRoute";
import { readDay } from "./viewData";
import { type LabView, validateLab } from "./timetables/labView";

const dependencies = createRoute({
  getParentRoute: () => root,
  path: "/dependencies",
  component: lazyRouteComponent(() => import("./dependencies/DayPage"), "DayPage"),
  validateSearch: (search: Search): DayView => ({
    dag: text(search.dag),
    day: day(search.day),
    first: count(search.first) || undefined,
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => readDay(context.client, deps.dag, deps.day, deps.first),
});

const dagGraph = createRoute({
  getParentRoute: () => root,
  path: "/dependencies/graph",
  component: lazyRouteComponent(() => import("./dependencies/GraphPage"), "GraphPage"),
  validateSearch: (search: Search): GraphView => ({
    fold: one(["none", "folder", "tag", "owner"], search.fold),
    open: text(search.open),
    find: text(search.find),
    dag: text(search.dag),
    assets: one(["hidden"], search.assets),
  }),
});

const timetables = createRoute({
  getParentRoute: () => root,
  path: "/timetables",
  component: lazyRouteComponent(() => import("./timetables/LabPage"), "LabPage"),
  validateSearch: (search: Search): LabView => validateLab(search),
});

const assets = createRoute({
  getParentRoute: () => root,
  path: "/assets",
  component: lazyRouteComponent(() => import("./assets/AssetsPage"), "AssetsPage"),
  validateSearch: (search: Search): AssetFilters => ({ search: text(search.search), page: pageNumber(search.page) }),
});

const asset = createRoute({
  getParentRoute: () => root,
  path: "/assets/$assetId",
  component: lazyRouteComponent(() => import("./assets/AssetPage"), "AssetPage"),
  validateSearch: (search: Search): { page?: number } => ({ page: pageNumber(search.page) }),
});

const backfills = createRoute({
  getParentRoute: () => root,
  path: "/backfills",
  component: lazyRouteComponent(() => import("./backfills/BackfillsPage"), "BackfillsPage"),
  validateSearch: (search: Search): BackfillFilters => ({
    dag: text(search.dag),
    state: one(["planning", "running", "paused", "cancelled", "complete"], search.state),
    page: pageNumber(search.page),
  }),
});

export const scheduleRoutes = [dependencies, dagGraph, timetables, assets, asset, backfills] as const;
