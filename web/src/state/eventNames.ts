/** The names of the events of the audit log in the language of the page. */

import { t } from "./language";

const NAMES: Record<string, string> = {
  account_created: /* text */ "account created",
  account_deleted: /* text */ "account deleted",
  account_grant_added: /* text */ "account grant added",
  account_grant_removed: /* text */ "account grant removed",
  account_linked: /* text */ "account linked",
  account_password_changed: /* text */ "account password changed",
  account_role_changed: /* text */ "account role changed",
  alert_raised: /* text */ "alert raised",
  alert_resolved: /* text */ "alert resolved",
  asset_event_added: /* text */ "asset event added",
  asset_run_created: /* text */ "asset run created",
  asset_runs_refused: /* text */ "asset runs refused",
  asset_state_deleted: /* text */ "asset state deleted",
  asset_state_set: /* text */ "asset state set",
  backfill_changed: /* text */ "backfill changed",
  backfill_created: /* text */ "backfill created",
  backfill_ended: /* text */ "backfill ended",
  baseline_changed: /* text */ "baseline changed",
  baseline_created: /* text */ "baseline created",
  baseline_deleted: /* text */ "baseline deleted",
  baseline_level_changed: /* text */ "baseline level changed",
  callback_failed: /* text */ "callback failed",
  connection_created: /* text */ "connection created",
  connection_changed: /* text */ "connection changed",
  connection_deleted: /* text */ "connection deleted",
  dag_changed: /* text */ "dag changed",
  dag_deleted: /* text */ "dag deleted",
  dag_paused: /* text */ "dag paused",
  dag_returned: /* text */ "dag returned",
  dag_unpaused: /* text */ "dag unpaused",
  database_cleaned: /* text */ "database cleaned",
  deadline_missed: /* text */ "deadline missed",
  deadline_unknown: /* text */ "deadline unknown",
  login: /* text */ "login",
  message_quarantined: /* text */ "message quarantined",
  note_deleted: /* text */ "note deleted",
  note_set: /* text */ "note set",
  partition_not_mapped: /* text */ "partition not mapped",
  planning_failed: /* text */ "planning failed",
  pool_changed: /* text */ "pool changed",
  pool_created: /* text */ "pool created",
  pool_deleted: /* text */ "pool deleted",
  priority_raised: /* text */ "priority raised",
  priority_restored: /* text */ "priority restored",
  quarantine_discarded: /* text */ "quarantine discarded",
  quarantine_retried: /* text */ "quarantine retried",
  queued_events_deleted: /* text */ "queued events deleted",
  run_created: /* text */ "run created",
  run_deleted: /* text */ "run deleted",
  run_ended: /* text */ "run ended",
  run_requeued: /* text */ "run requeued",
  run_started: /* text */ "run started",
  session_ended: /* text */ "session ended",
  sessions_revoked: /* text */ "sessions revoked",
  slot_held: /* text */ "slot held",
  slots_passed: /* text */ "slots passed",
  task_state_deleted: /* text */ "task state deleted",
  task_state_set: /* text */ "task state set",
  task_states_cleaned: /* text */ "task states cleaned",
  token_created: /* text */ "token created",
  token_revoked: /* text */ "token revoked",
  trigger_blocked: /* text */ "trigger blocked",
  trigger_unresponsive: /* text */ "trigger unresponsive",
  upstream_ended: /* text */ "upstream ended",
  variable_changed: /* text */ "variable changed",
  variable_created: /* text */ "variable created",
  variable_deleted: /* text */ "variable deleted",
  xcom_deleted: /* text */ "xcom deleted",
  xcom_set: /* text */ "xcom set",
};

const THINGS: Record<string, string> = {
  account: /* text */ "account",
  asset: /* text */ "asset",
  connection: /* text */ "connection",
  grant: /* text */ "grant",
  pool: /* text */ "pool",
  role: /* text */ "role",
  session: /* text */ "session",
  token: /* text */ "token",
  variable: /* text */ "variable",
};

/** The kind of a thing in the body of an event. */
export function thingName(kind: string): string {
  return t(THINGS[kind] ?? kind);
}

/** A kind that has no name here is shown in the words of its id. */
export function eventName(kind: string): string {
  return t(NAMES[kind] ?? kind.replaceAll("_", " "));
}
