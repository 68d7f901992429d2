"""Members of `conf`, `dag`, `dag_run` and `ti` that a file uses, Airflow has and Gnomon does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gnomon.airflow_compat.migration.repository.findings import Finding, Severity

_RUN = "runs are changed by `gnomon runs` and its API, and read in a task by the methods of dag_run and ti"
_TASK = "task instances are changed by `gnomon tasks` and its API; a task fails, is skipped or deferred by raising"
_DAG = "runs are started and changed by TriggerDagRunOperator, `gnomon dags` and `gnomon runs`"
_CONF = "the options of a Gnomon installation come from its environment and gnomon.cfg; `gnomon config list` shows them"
_CONF_PATHS = frozenset({"airflow.configuration.conf", "airflow.conf", "airflow.providers.common.compat.sdk.conf"})
_VARIABLES = {"ti": "ti", "task_instance": "ti", "dag_run": "dag_run", "dagrun": "dag_run", "dag": "dag"}
"""Names of variables and keys of the context to the object that they stand for."""
ABSENT_MEMBERS: dict[str, tuple[frozenset[str], str]] = {
    "ti": (
        frozenset(
            {
                "are_dependencies_met",
                "are_dependents_done",
                "check_and_change_state_before_execution",
                "clear_db_references",
                "clear_next_method_args",
                "clear_xcom_data",
                "command_as_list",
                "defer_task",
                "dry_run",
                "email_alert",
                "error",
                "external_executor_id",
                "fetch_handle_failure_context",
                "generate_command",
                "get_email_subject_content",
                "get_failed_dep_statuses",
                "get_num_running_task_instances",
                "get_relevant_upstream_map_indexes",
                "get_rendered_k8s_spec",
                "get_rendered_template_fields",
                "get_task_instance",
                "get_truncated_error_traceback",
                "handle_failure",
                "init_run_context",
                "is_premature",
                "next_kwargs",
                "next_method",
                "next_retry_datetime",
                "overwrite_params_with_dag_run_conf",
                "previous_ti_success",
                "queued_by_job_id",
                "ready_for_retry",
                "refresh_from_db",
                "refresh_from_task",
                "render_k8s_pod_yaml",
                "run",
                "save_to_db",
                "schedule_downstream_tasks",
                "set_duration",
                "set_state",
                "trigger_id",
                "trigger_timeout",
            }
        ),
        _TASK,
    ),
    "dag_run": (
        frozenset(
            {
                "active_runs_of_dags",
                "fetch_task_instance",
                "fetch_task_instances",
                "find",
                "find_duplicate",
                "get_latest_runs",
                "get_log_template",
                "get_run",
                "last_scheduling_decision",
                "next_dagruns_to_examine",
                "notify_dagrun_state_changed",
                "refresh_from_db",
                "schedule_tis",
                "set_state",
                "task_instance_scheduling_decisions",
                "task_instances",
                "update_state",
                "verify_integrity",
            }
        ),
        _RUN,
    ),
    "dag": (
        frozenset(
            {
                "bulk_sync_to_db",
                "bulk_write_to_db",
                "clear",
                "clear_dags",
                "create_dagrun",
                "date_range",
                "deactivate_stale_dags",
                "deactivate_unknown_dags",
                "execute_callback",
                "fetch_dagrun",
                "get_concurrency_reached",
                "get_next_data_interval",
                "get_run_data_interval",
                "get_serialized_fields",
                "get_task_instances_before",
                "get_tree_view",
                "handle_callback",
                "infer_automated_data_interval",
                "next_dagrun_after_date",
                "next_dagrun_info",
                "normalize_schedule",
                "pickle",
                "pickle_info",
                "run",
                "set_dag_runs_state",
                "set_task_group_state",
                "set_task_instance_state",
                "subdags",
                "sync_to_db",
                "tree_view",
            }
        ),
        _DAG,
    ),
    "conf": (
        frozenset(
            {
                "airflow_defaults",
                "configuration_description",
                "deprecated_options",
                "deprecated_sections",
                "deprecated_values",
                "enums_options",
                "expand_all_configuration_values",
                "get_default_pre_2_7_value",
                "inversed_deprecated_options",
                "inversed_deprecated_sections",
                "is_template",
                "is_validated",
                "load_providers_configuration",
                "load_test_config",
                "make_sure_configuration_loaded",
                "many_to_one_deprecated_options",
                "mask_secrets",
                "readfp",
                "remove_all_read_configurations",
                "restore_core_default_configuration",
                "sensitive_config_values",
                "upgraded_values",
                "validate",
                "write_custom_config",
            }
        ),
        _CONF,
    ),
}
"""For each object: members of Airflow 2.10.5 that Gnomon's object does not have, and what there is instead."""


def iterate_member_findings(tree: ast.Module, names: dict[str, str]) -> Iterator[Finding]:
    """Yield a finding for each use of such a member. `names`: name in the file to the dotted path that it was imported as."""
    kinds: dict[str, str] = {name: "conf" for name, path in names.items() if path in _CONF_PATHS}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            kind = _find_object(node.value, kinds, names)
            if kind is not None and node.attr in ABSENT_MEMBERS[kind][0]:
                yield Finding(
                    node.lineno,
                    Severity.MISSING,
                    "absent-member",
                    f"{kind}.{node.attr} does not exist in Gnomon: {ABSENT_MEMBERS[kind][1]}",
                )


def _find_object(node: ast.expr, kinds: dict[str, str], names: dict[str, str]) -> str | None:
    """`conf`, `dag`, `dag_run` or `ti`, when the expression stands for it: a variable of that name, or a value of the context."""
    if isinstance(node, ast.Name):
        return kinds.get(node.id) or (_VARIABLES.get(node.id) if node.id not in names else None)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return _VARIABLES.get(str(node.slice.value))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ):
        return _VARIABLES.get(str(node.args[0].value))
    return None
