"""Words about what the database knows of a DAG."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    # What the database knows of a DAG.
    "scheduler_is_alive": "a scheduler is alive",
    "no_scheduler": "no scheduler is alive; start one with: {command}, or {other_command}",
    "schedules_are_switched_off": "[scheduler] use_job_schedule ({source}) is False: no scheduled runs are created, only manual runs",
    "file_cannot_be_loaded": "its file {file} cannot be loaded, so its last good version is used: {error}",
    "dag_is_paused": "DAG {dag} is paused",
    "dag_is_paused_unpause": "DAG {dag} is paused; unpause it with: {command}",
    "dag_is_not_paused": "DAG {dag} is not paused",
    "dag_is_deleted": "the DAG was deleted: no file defines it any more; its file was {file}",
    "runs_of_deleted_dag": "no run of it is created; in an unfinished run, tasks that run go on to their end and no further task starts",
    "act_on_deleted_dag": "to go on, put the file back; to end a run: {command}; to delete all of it: {other_command}",
    "no_run_is_planned": "no run of the DAG is planned: {error}",
    "tasks_run_in": "its tasks run in {process_kind}",
    "start_date_is_in_the_future": "its start_date {at} is in the future",
    "dag_is_quarantined": "the DAG is not scheduled since {since}: {reason}",
    "group_is_quarantined": "the scheduler has set group {group} aside, to which the DAG belongs, since {since}, and tries it again: {reason}",
    "message_is_quarantined": "a message ({message_kind}){about} is in quarantine since {since}: {why}; see {command}",
    "about_task": " about task {task_id}",
    "about_instance": " about task {task_id}[{map_index}]",
    "could_not_be_applied": "it could not be applied: {reason}",
    "run_is_unfinished": "run {run} is {state}",
    "run_is_unfinished_explain": "run {run} is {state}{stored}: {command}",
    "more_unfinished_runs": ("and {count} more unfinished run", "and {count} more unfinished runs"),
    "no_runs_yet": "it has no runs yet",
    "due_run_is_not_created": "the run due at {at} has not been created; this says why: {command}",
    "run_is_slow": "it has run for {duration}; 95 of 100 runs take at most {usual}",
}
