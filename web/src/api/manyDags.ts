/** Acts on several DAGs: one request for each of them, a few at a time. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { t, tn } from "../state/language";
import { showRunToast, showToast, type TouchedRun } from "../state/toasts";
import { patch, post } from "./client";

const AT_A_TIME = 4;

interface Refused {
  dagId: string;
  reason: string;
}

/** Do it for each; what the server refuses does not stop the others. */
async function forEach<T>(dagIds: readonly string[], send: (dagId: string) => Promise<T>): Promise<[T[], Refused[]]> {
  const answers: T[] = [];
  const refused: Refused[] = [];
  for (let start = 0; start < dagIds.length; start += AT_A_TIME) {
    await Promise.all(
      dagIds.slice(start, start + AT_A_TIME).map((dagId) =>
        send(dagId).then(
          (answer) => answers.push(answer),
          (fault: unknown) => refused.push({ dagId, reason: (fault as Error).message }),
        ),
      ),
    );
  }
  return [answers, refused];
}

function sayRefused(refused: readonly Refused[]): void {
  for (const one of refused.slice(0, 3)) showToast(`${one.dagId}: ${one.reason}`, undefined, true);
}

export function usePauseMany() {
  const client = useQueryClient();
  const send = async (dagIds: readonly string[], isPaused: boolean): Promise<string[]> => {
    const [done, refused] = await forEach(dagIds, async (dagId) => {
      await patch("/api/v2/dags/{dag_id}", { path: { dag_id: dagId }, body: { is_paused: isPaused } });
      return dagId;
    });
    sayRefused(refused);
    await client.invalidateQueries({ queryKey: ["dags"] });
    return done;
  };
  return useMutation({
    mutationFn: ({ dagIds, isPaused }: { dagIds: readonly string[]; isPaused: boolean }) => send(dagIds, isPaused),
    onSuccess: (done, { isPaused }) => {
      if (done.length === 0) return;
      showToast(
        isPaused
          ? tn("{count} DAG is paused.", "{count} DAGs are paused.", done.length)
          : tn("{count} DAG is active.", "{count} DAGs are active.", done.length),
        async () => void (await send(done, !isPaused)),
      );
    },
  });
}

/** A run of each DAG, now, with its own defaults. */
export function useRunMany() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (dagIds: readonly string[]) =>
      forEach(dagIds, async (dagId): Promise<TouchedRun> => {
        const run = await post("/api/v2/dags/{dag_id}/dagRuns", {
          path: { dag_id: dagId },
          body: { logical_date: null },
        });
        return { dagId, runId: run.dag_run_id };
      }),
    onSuccess: ([runs, refused]) => {
      sayRefused(refused);
      if (runs.length > 0) showRunToast(t("Done: {count} runs are created.", { count: runs.length }), runs);
      return client.invalidateQueries({ queryKey: ["dags"] });
    },
  });
}
