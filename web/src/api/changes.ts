/** What a user does: each change makes stale what it touches, and the events of the server say the rest. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { t } from "../state/language";
import { showToast } from "../state/toasts";
import { patch } from "./client";

/** Pauses or unpauses; the toast that says so undoes it. */
export function usePause(dagId: string) {
  const client = useQueryClient();
  const send = async (paused: boolean) => {
    await patch("/api/v2/dags/{dag_id}", { path: { dag_id: dagId }, body: { is_paused: paused } });
    await Promise.all([
      client.invalidateQueries({ queryKey: ["dags"] }),
      client.invalidateQueries({ queryKey: ["dag", dagId] }),
    ]);
  };
  return useMutation({
    mutationFn: send,
    onSuccess: (_answer, paused) =>
      showToast(
        paused ? t("{dag} is paused.", { dag: dagId }) : t("{dag} is active.", { dag: dagId }),
        () => send(!paused),
        false,
        `pause ${dagId}`,
      ),
  });
}
