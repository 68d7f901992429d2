/** Questions of tasks to people: reading one, and answering it. */

import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { get, patch } from "./client";
import { type InstancePlace, placeOfInstance } from "./places";
import type { components } from "./schema";

export type HitlDetail = components["schemas"]["HITLDetailAnswer"];

export const hitlQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: ["dag", at.dagId, "run", at.runId, "task", at.taskId, at.mapIndex, "hitl"],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails", {
        path: placeOfInstance(at),
      }),
    retry: false,
  });

export interface HitlAnswer {
  chosen_options: string[];
  params_input: Record<string, unknown>;
}

/** `done` is called also if the question is no longer shown when the server has taken the answer. */
export function useHitlAnswer(at: InstancePlace, done: (answer: HitlAnswer) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answer: HitlAnswer) =>
      patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails", {
        path: placeOfInstance(at),
        body: answer,
      }),
    onSuccess: (_, answer) => done(answer),
    onSettled: () => client.invalidateQueries({ queryKey: ["dag", at.dagId, "run", at.runId] }),
  });
}

interface SeveralAnswers {
  places: readonly InstancePlace[];
  answer: HitlAnswer;
}

/** The same answer to several questions. Those that are answered stay so if a later one is refused. */
export function useHitlAnswers() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ places, answer }: SeveralAnswers) => {
      for (const at of places)
        await patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails", {
          path: placeOfInstance(at),
          body: answer,
        });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["questions"] }),
  });
}
