/** What the monitor has predicted: how baselines stand, and the newest forecast. No event tells of a new prediction: they are asked again and again. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { ApiError, get } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Baseline = Schemas["BaselineAnswer"];
export type BaselineDetails = Schemas["BaselineDetailsAnswer"];
export type BaselineLevel = Schemas["BaselineLevel"];
export type KeyStep = Schemas["KeyStepAnswer"];
export type Prediction = Schemas["PredictionAnswer"];
export type DueTime = Schemas["DueTimeAnswer"];
export type Forecast = Schemas["NewestForecastAnswer"];
export type PredictedRun = Schemas["PredictedRunAnswer"];
export type BaselineVersion = Schemas["BaselineVersionAnswer"];
export type ForecastAccuracy = Schemas["ForecastAccuracyAnswer"];
export type DagAccuracy = Schemas["DagAccuracyAnswer"];
export type MomentAccuracy = Schemas["MomentAccuracyAnswer"];

const PREDICTED_MS = 15_000;
/** The most runs of one answer. */
const RUNS_MAX = 10_000;
/** The most DAGs of one answer. */
const ACCURACY_MAX = 500;

export const baselinesQuery = () =>
  queryOptions({
    queryKey: ["baselines"],
    queryFn: () => get("/api/gnomon/v1/baselines"),
    refetchInterval: PREDICTED_MS,
  });

export const baselineQuery = (name: string) =>
  queryOptions({
    queryKey: ["baselines", name],
    queryFn: () => get("/api/gnomon/v1/baselines/{name}", { path: { name } }),
    refetchInterval: PREDICTED_MS,
  });

/** What a form offers: names of gnomon.toml. */
export const baselineChoicesQuery = () =>
  queryOptions({
    queryKey: ["baselineChoices"],
    queryFn: () => get("/api/gnomon/v1/baselineChoices"),
  });

export const baselineHistoryQuery = (name: string) =>
  queryOptions({
    queryKey: ["baselines", name, "history"],
    queryFn: () => get("/api/gnomon/v1/baselines/{name}/history", { path: { name } }),
  });

/** DAGs and tasks that fit to what is typed, as a baseline names them. */
export const endNamesQuery = (text: string) =>
  queryOptions({
    queryKey: ["names", "ends", text],
    queryFn: async () => {
      const { dags, tasks } = await get("/api/gnomon/v1/names", { query: { text: text.replace(".", " "), limit: 8 } });
      return [...dags.map((one) => one.dag_id), ...tasks.map((one) => `${one.dag_id}.${one.task_id}`)];
    },
    placeholderData: keepPreviousData,
  });

/** How good predictions were, the DAG with the worst error first. */
export const accuracyQuery = (dagIds: readonly string[] = []) =>
  queryOptions({
    queryKey: ["accuracy", ...dagIds],
    queryFn: () => get("/api/gnomon/v1/forecast/accuracy", { query: { dag_id: [...dagIds], limit: ACCURACY_MAX } }),
    staleTime: 60_000,
  });

/** A text is why there is no forecast. */
export const forecastQuery = () =>
  queryOptions({
    queryKey: ["forecast"],
    queryFn: async (): Promise<Forecast | string> => {
      try {
        return await get("/api/gnomon/v1/forecast", { query: { limit: RUNS_MAX } });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return error.message;
        throw error;
      }
    },
    refetchInterval: PREDICTED_MS,
    placeholderData: keepPreviousData,
  });
