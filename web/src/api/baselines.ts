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

const PREDICTED_MS = 15_000;
/** The most runs of one answer. */
const RUNS_MAX = 10_000;

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
