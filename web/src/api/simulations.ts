/** Simulations: jobs of the server that compare the coming days with what they would be with changes. */

import { queryOptions } from "@tanstack/react-query";
import { ApiError, get } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Simulation = Schemas["SimulationJobAnswer"];
export type SimulationAnswer = Schemas["SimulationAnswerBody"];
export type ComparedRun = Schemas["ComparedRunAnswer"];
export type ComparedBaseline = Schemas["ComparedBaselineAnswer"];
export type ComparedPool = Schemas["ComparedPoolAnswer"];
export type LoadSpan = Schemas["LoadSpanAnswer"];

const RUNNING_MS = 1_000;

/** Null: it is not there any more, or it is of another account. */
export const simulationQuery = (id: string) =>
  queryOptions({
    queryKey: ["simulations", id],
    queryFn: async (): Promise<Simulation | null> => {
      try {
        return await get("/api/gnomon/v1/simulations/{simulation_id}", { path: { simulation_id: id } });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: (query) => (query.state.data?.state === "running" ? RUNNING_MS : false),
    staleTime: (query) => (query.state.data?.state === "running" ? 0 : Infinity),
  });

/** The ids of the tasks of a DAG. */
export const taskNamesQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "task names"],
    queryFn: async () =>
      (await get("/api/v2/dags/{dag_id}/tasks", { path: { dag_id: dagId } })).tasks.flatMap(({ task_id }) =>
        task_id ? [task_id] : [],
      ),
    staleTime: 60_000,
    retry: false,
  });
