/** A state as a coloured word with a shape, so that colour is not all that tells it. */

import { t } from "../state/language";

const SHAPES: Record<string, string> = {
  success: "✓",
  failed: "✕",
  running: "▶",
  queued: "…",
  scheduled: "…",
  up_for_retry: "↻",
  up_for_reschedule: "↻",
  upstream_failed: "⚠",
  skipped: "↷",
  deferred: "◷",
  restarting: "↻",
  removed: "–",
  awaiting_input: "?",
};

/** The states of runs and task instances. */
const NAMES: Record<string, string> = {
  success: /* text */ "success",
  failed: /* text */ "failed",
  running: /* text */ "running",
  queued: /* text */ "queued",
  scheduled: /* text */ "scheduled",
  up_for_retry: /* text */ "up for retry",
  up_for_reschedule: /* text */ "up for reschedule",
  upstream_failed: /* text */ "upstream failed",
  skipped: /* text */ "skipped",
  deferred: /* text */ "deferred",
  restarting: /* text */ "restarting",
  removed: /* text */ "removed",
  awaiting_input: /* text */ "awaiting input",
};

/** The types of runs; one has the name of a state, and another word in other languages. */
const TYPES: Record<string, string> = {
  scheduled: /* text */ "scheduled|run",
  manual: /* text */ "manual",
  backfill: /* text */ "backfill",
  asset_triggered: /* text */ "asset triggered",
  asset_materialization: /* text */ "asset materialization",
  operator_triggered: /* text */ "operator triggered",
};

/** The name of a type of runs in the language of the page. */
export function typeName(type: string): string {
  return t(TYPES[type] ?? type.replaceAll("_", " "));
}

/** The name of a state in the language of the page. */
/** Whether a text is nothing but the name of a state. */
export function isState(text: string): boolean {
  return text in NAMES;
}

export function stateName(state: string | null | undefined): string {
  return state ? t(NAMES[state] ?? state.replaceAll("_", " ")) : t("no state");
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
