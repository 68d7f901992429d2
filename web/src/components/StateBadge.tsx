/** A state as a coloured word with a shape, so that colour is not all that tells it. */

const SHAPES: Record<string, string> = {
  success: "✓", failed: "✕", running: "▶", queued: "…", scheduled: "…", up_for_retry: "↻", up_for_reschedule: "↻", upstream_failed: "⚠", skipped: "↷",
  deferred: "◷", restarting: "↻", removed: "–",
};

export function stateName(state: string | null | undefined): string {
  return state ? state.replaceAll("_", " ") : "no state";
}

export function stateClass(state: string | null | undefined): string {
  return `state-${state ?? "none"}`;
}

export function stateShape(state: string | null | undefined): string {
  return SHAPES[state ?? ""] ?? "·";
}

export function StateBadge({ state }: { state: string | null | undefined }) {
  return (
    <span className={`badge ${stateClass(state)}`}>
      <span aria-hidden="true">{stateShape(state)}</span> {stateName(state)}
    </span>
  );
}
