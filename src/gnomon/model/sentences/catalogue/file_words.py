"""Words about files: of logs, backups, DAGs and settings."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "log_file_does_not_exist": "there is no log file {file!r} of this task instance or run",
    "log_needs_map_index": "task {task_id!r} is mapped and has a log for each map index in run {run!r}: add --map-index {indices}",
    "task_has_no_log": "task {task!r} has no log in run {run!r}: it has not been started; `{command}` says why",
    "task_has_no_such_try": "task {task!r} has no try {try_number} in run {run!r}; its tries are: {tries_of_task}",
    "log_is_elsewhere": "the log of task {task!r}, try {try_number}, is not on this machine: {file} does not exist{elsewhere}; the log is on the machine of the worker that ran the task, or was removed",
    "callback_logs_are_elsewhere": "the logs of the callbacks of run {run!r} are not on this machine: {file} does not exist{elsewhere}; they are on the machine of the worker that called them, or no process has begun yet",
    "file_cannot_be_written_here": "{file} cannot be written ({error}): {remedy}",
    "file_cannot_be_removed": "{file} cannot be removed ({error}): remove it as its owner",
    "refusal_and_error": "{reason}; {error}",
}
