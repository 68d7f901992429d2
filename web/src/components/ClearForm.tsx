/** Clears tasks of a run, after a preview of exactly what the clear touches. */

import { useState } from "react";
import { type Cleared, useClear } from "../api/changes";
import { Refusal } from "./Answer";
import { StateBadge } from "./StateBadge";

const SHOWN_MAX = 100;

/** `taskIds` empty: all failed tasks of the run. */
export function ClearForm({ dagId, runId, taskIds }: { dagId: string; runId: string; taskIds: (string | [string, number])[] }) {
  const [downstream, setDownstream] = useState(true);
  const [preview, setPreview] = useState<Cleared>();
  const clear = useClear(dagId);
  const isWhole = taskIds.length === 0;
  const send = (dryRun: boolean) =>
    clear.mutate({ runId, taskIds, downstream, onlyFailed: isWhole, dryRun }, { onSuccess: (found) => setPreview(dryRun ? found : undefined) });
  return (
    <div className="clear">
      <button type="button" disabled={clear.isPending} onClick={() => send(true)}>{isWhole ? "Clear what failed …" : "Clear …"}</button>
      {!isWhole && (
        <label><input type="checkbox" checked={downstream} onChange={(event) => { setDownstream(event.target.checked); setPreview(undefined); }} /> with downstream tasks</label>
      )}
      {clear.isError && <Refusal error={clear.error} />}
      {preview && (
        <div className="preview" role="group" aria-label="What the clear touches">
          <p>{preview.total_entries === 0 ? "Nothing would be cleared." : `${preview.total_entries} task instances run again:`}</p>
          <ul>
            {preview.task_instances.slice(0, SHOWN_MAX).map((one) => (
              <li key={`${one.task_id} ${one.map_index}`}>{one.task_id}{one.map_index < 0 ? "" : ` [${one.map_index}]`} <StateBadge state={one.state} /></li>
            ))}
          </ul>
          {preview.total_entries > 0 && <button type="button" disabled={clear.isPending} onClick={() => send(false)}>Clear them</button>}{" "}
          <button type="button" onClick={() => setPreview(undefined)}>Cancel</button>
        </div>
      )}
    </div>
  );
}
