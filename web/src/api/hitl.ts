/** Questions of tasks to people: reading one, and answering it. */

import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { change, part, read } from "./client";
import { type InstancePlace, runPath } from "./queries";
import type { components } from "./schema";

export type HitlDetail = components["schemas"]["HITLDetailAnswer"];

const hitlPath = (at: InstancePlace) =>
  `${runPath(at.dagId, at.runId)}/taskInstances/${part(at.taskId)}/${at.mapIndex}/hitlDetails`;

export const hitlQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: ["dag", at.dagId, "run", at.runId, "task", at.taskId, at.mapIndex, "hitl"],
    queryFn: () => read<HitlDetail>(hitlPath(at)),
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
    mutationFn: (answer: HitlAnswer) => change("PATCH", hitlPath(at), answer),
    onSuccess: (_, answer) => done(answer),
    onSettled: () => client.invalidateQueries({ queryKey: ["dag", at.dagId, "run", at.runId] }),
  });
}
