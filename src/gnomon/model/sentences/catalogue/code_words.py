"""Words about code of authors: classes, expressions, plugins, templates."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "path_is_no_class": "{name} is not a class but {thing}; name a class by its full path.",
    "module_fails_at_import": "{name} cannot be loaded: importing {module} failed: {error}",
    "timetable_is_not_built_in": "{name!r} is not a built-in timetable; other classes are named by their full dotted path.",
    "object_has_no_name": "{name} cannot be loaded: {thing} has no {attribute!r} ({error}).",
    "module_of_provider_is_missing": "{name} cannot be loaded: there is no module {module!r} here. Run `{command}`, or put it into the plugins folder.",
    "module_is_missing": "{name} cannot be loaded: there is no module {module!r} here. Put it into the plugins folder, or install it.",
    "another_airflow_is_imported": "Another `airflow` package is imported already (from {file}). Call gnomon.airflow_compat.enable() before anything imports airflow, or run the file with `python -m gnomon.airflow_compat FILE`.",
    "airflow_is_installed": "{name} is installed in this environment ({place}), and `import airflow` imports it. Uninstall it (pip uninstall {package}), or use a virtual environment with Gnomon alone.",
    "environment_excludes_user_packages": "the packages of a user are not part of this environment ({place}): leave out --user",
    "expression_is_wrong": "the expression is wrong: {error}\n    {text}\n    {place}",
    "expression_is_too_long": "the expression has more than {most} characters; shorten it, or name a DAG that has this schedule",
    "expression_would_run_code": "{text} would run as code on the machine of the deployment, which no API does: over the API an expression has built-in timetables, calendars, dates, spans and literals; name a DAG that has this schedule, or run the command on the machine of the deployment",
    "provider_name_is_invalid": "{name!r} is not a provider package: write a name such as http, common-sql or amazon==9.0 ({error})",
    "provider_is_airflow": "{name} is Airflow itself, and Gnomon takes its place; name a provider package, such as http",
    "file_cannot_be_imported": "{file} cannot be imported: {error}",
    "file_defines_no_task": "{file} defines no task {task_id!r} of DAG {dag!r} now; `{command}` reads all files again",
    "template_fails": "task {task_id!r} of DAG {dag!r}: {error}",
    "params_cannot_be_checked": "param {names} cannot be checked: {error}",
    "params_are_no_json": "param {names} is not plain JSON: {error}",
    "request_of_dag_file_is_refused": "{name} is for tasks only, and this DAG file made the request while it was imported; move the call into a task",
    "request_of_trigger_is_refused": "{name} is for tasks only, and a trigger made the request; move the call into a method of the task",
    "request_cannot_be_answered": "{name} cannot be answered: {fault}",
    "dag_of_request_does_not_exist": "there is no DAG {dag!r}; `{command}` shows what there is",
    "dag_of_request_is_deleted": "DAG {dag!r} was deleted: no file defines it any more (the last one was {file}); put the file back to run it",
    "dag_has_many_such_runs": "DAG {dag!r} has more than {number} such runs, and an answer has no more: ask for a shorter range of dates",
    "dag_has_many_runs": "DAG {dag!r} has more than {number} runs, and an answer has no more: name runs by run_ids or logical_dates",
    "run_state_does_not_exist": "there is no run state {name!r}; use one of {names}",
    "stored_value_is_too_large": "the value under {key!r} takes {length} bytes, the limit is {most} bytes",
}
