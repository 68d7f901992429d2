/** Which failures this browser has marked as seen. */

import type { FailedDag } from "../../api/shapes";
import { tn } from "../../state/language";
import { type Seen, setSeen } from "../../state/seenMarks";
import { showToast } from "../../state/toasts";

/** A DAG is seen until another of its runs fails. */
export function toSeen(failure: FailedDag): Seen {
  const newest = failure.failures[0];
  return { dag_id: failure.dag_id, run_id: newest?.run_id ?? "", ended_at: newest?.ended_at ?? "" };
}

export function mark(failures: readonly FailedDag[]): void {
  const marked = failures.map(toSeen);
  setSeen(marked, true);
  showToast(
    tn(
      "{count} failure is marked as seen in this browser.",
      "{count} failures are marked as seen in this browser.",
      failures.length,
    ),
    () => setSeen(marked, false),
  );
}
