"""Words about problems of the installation."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    # Problems of the installation.
    "database_does_not_answer": "The database at {url} did not answer: {error}",
    "scheduler_is_dead": "No scheduler is alive: no run is planned and no task starts. `{command}` starts one, `{other_command}` everything.",
    "worker_is_dead": "No worker is alive: tasks wait in their queue. `{command}` starts one.",
    "monitor_is_dead": "No monitor is alive: no rule of alerts is evaluated, no message is sent and no nightly clean runs. `{command}` starts one.",
    "dag_processor_is_dead": "No dag-processor is alive: new and changed DAG files are not seen. `{command}` starts one.",
    "more_files_not_loaded": ("{count} more file could not be loaded", "{count} more files could not be loaded"),
    "file_errors_are_shown": "{why} (`{command}` shows all, with tracebacks)",
    "deferred_tasks_wait": ("{number} deferred task waits", "{number} deferred tasks wait"),
    "tasks_lack_triggerer": "No triggerer is alive, and {tasks_wait} for one. `{command}` starts one.",
    "tasks_lack_triggerer_of_queue": "No triggerer takes queue {queue}, and {tasks_wait} on it. `{command}` starts one.",
    "tasks_lack_slot_of_triggerer": "All slots of the triggerers are in use, and {tasks_wait} for one. Raise the limit with `--capacity`, or start another triggerer: `{command}`.",
    "dag_is_not_planned": "DAG {dag} is not planned: {error}",
    "more_dags_are_not_planned": ("{count} more DAG is not planned", "{count} more DAGs are not planned"),
    "setup_is_wrong": "{error}. {remedy}.",
    "items_are_quarantined": (
        "{number} item is in quarantine, the oldest{about} since {since}: {reason}. `{command}` shows all, `{other_command}` puts back.",
        "{number} items are in quarantine, the oldest{about} since {since}: {reason}. `{command}` shows all, `{other_command}` puts back.",
    ),
    "about_dag": " about DAG {dag}",
    "watcher_fails": "Watcher {watcher} of asset {asset} fails: {error} (`{command}`)",
    "more_watchers_fail": ("{count} more watcher of assets fails", "{count} more watchers of assets fail"),
    "watchers_lack_triggerer": (
        "No triggerer is alive, and {number} watcher of assets waits for one. `{command}` starts one.",
        "No triggerer is alive, and {number} watchers of assets wait for one. `{command}` starts one.",
    ),
    "group_is_loaded_again": "group {group} is set aside, and its scheduler loads it again by itself within a minute: there is nothing to put back",
    "item_is_no_message": "{subject} is set aside, which is no message: it returns by itself when its cause is gone",
    "channel_is_not_configured": "gnomon.toml has no channel {name!r}; {hint}",
    "channel_refuses_test_message": "channel {name} did not accept the test message: {error} ({place})",
    "services_use_database": "services use the database ({names}); stop them, wait 20 s if they were killed, and try again",
    "no_triggerer_on_machine": "no triggerer of this home runs on this machine; a triggerer that is started now imports the current code",
}
