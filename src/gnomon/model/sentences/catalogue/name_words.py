"""Words that name things, and that refuse names which do not exist."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    # A text that is stored or written by somebody, and names.
    "text": "{text}",
    "task": "{task}",
    "named_task": "task {task}",
    "named_task_of_run": "task {task} of run {run}",
    "named_run_of_dag": "run {run} of DAG {dag}",
    "named_task_of_dag": "task {task} of run {run} of DAG {dag}",
    "mapped_instances": "{task_id}[{indices}] ({count} instances)",
    "task_in_state": "{task} ({state})",
    "task_without_status": "{task} (no status)",
    "slots": ("{count} slot", "{count} slots"),
    "running_runs": ("{count} running run", "{count} running runs"),
    "unfinished_runs": ("{count} unfinished run", "{count} unfinished runs"),
    # Refusals: names that do not exist.
    "not_found": "there is no {thing} {name}; {hint}",
    "not_found_of_dag": "there is no {thing} {name} of DAG '{dag}'; {hint}",
    "not_found_in_dag": "there is no {thing} {name} in DAG '{dag}'; {hint}",
    "did_you_mean": "did you mean {names}?",
    "could_not_be_loaded": "it could not be loaded: {error}",
    "command_lists_all": "`{command}` lists all {things}",
    "commands_list_dags": "`{command}` lists all DAGs, `{other_command}` the files that could not be loaded",
    "named_dag": "DAG {dag}",
    "named_group": "group {group}",
    "command_lists_them": "`{command}` lists them",
    "or_did_you_mean": "; did you mean {names}?",
    "command_lists_it_all": "`{command}` lists all",
    "full_stop": ".",
    "asset_of_name_does_not_exist": "there is no asset with the name {asset!r}; `{command}` shows them all",
    "asset_of_uri_does_not_exist": "there is no asset with the uri {uri!r}; `{command}` shows them all",
}
