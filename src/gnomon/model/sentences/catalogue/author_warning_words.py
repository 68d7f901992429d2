"""Warnings for authors: what a DAG file says and what has no effect, or another one than its author may think."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    # What the warning is about.
    "warning_of_dag": "DAG {dag!r}{place}: {message}",
    "warning_of_task": "Task {task_id!r}{place}: {message}",
    "warning_of_task_group": "Task group {name!r}{place}: {message}",
    "warning_of_task_in_dag": "task {task_id!r}{place}: {message}",
    # Arguments without effect.
    "argument_is_idle": "{name}= {why}.",
    "no_task_is_placed_by_resources": "has no effect: Gnomon places no task by its resources",
    "task_runs_as_user_of_worker": "has no effect: the task runs as the user of its worker",
    "only_doc_md_is_shown": "has no effect: only doc_md is stored and shown",
    "operators_may_call_others": "has no effect: a task may call execute() of another operator",
    "slas_are_gone": "has no effect: SLAs are gone since Airflow 3; give the DAG a deadline",
    "roles_are_granted": "has no effect: accounts get roles on DAGs by `gnomon users grant`",
    "page_draws_groups_itself": "has no effect: the page draws task groups by their ids, in its own colours",
    "executor_config_key_is_idle": "executor_config= has the key {key!r}, which has no effect: the keys are {names}.",
    "executor_config_is_idle": "executor_config= has no effect: [core] executor is {executor}, and only the KubernetesExecutor uses {names}.",
    "email_has_no_address": "email= has None among its addresses, which gets no mail.",
    "template_fields_is_a_text": "template_fields of {class_path} is the text {name!r} and is read as [{name!r}]. Write template_fields = ({name!r},), with a comma.",
    "argument_differs_between_instances": "{name}= differs between instances, so it does not apply when a deferral times out or fails before an attempt. Give it to partial() if it is the same for all.",
    "session_of_test_is_idle": "session= of dag.test() has no effect, because Gnomon has no metadata session",
    "depends_on_is_idle": "its depends_on has no effect, because it has no schedule: a run that is triggered waits for no other DAG.",
    "access_control_of_asset_is_idle": "asset {subject_text}: access_control= has no effect, because Gnomon has no teams.",
    "argument_holds_no_asset": "{name}= has {value} ({class_path}), which is no asset and has no effect. {hint}",
    "write_asset": "Write Asset({value}).",
    "give_assets": "Give assets, or leave it out.",
    # Dates and schedules.
    "date_has_no_time_zone": "{name} {value} has no time zone and is read as {zone} ([core] default_timezone). Write pendulum.datetime({example}, tz='...') to be sure.",
    "dates_have_no_time_zone": "{number} dates of {names}{more} have no time zone and are read in [core] default_timezone. Write pendulum.datetime(YEAR, MONTH, DAY, tz='...') to be sure; `gnomon dags show DAG` has each.",
    "date_of_task_has_no_time_zone": "{name} {value} has no time zone and is read in [core] default_timezone.",
    "catchup_lacks_start_date": "catchup=True needs a start_date to begin from, and neither the DAG nor a task has one: no run is planned. Give the DAG one, or schedule=None.",
    "schedule_runs_only_by_assets": "it gets no runs at the times of its schedule, only those of its assets: allowed_run_types has no DagRunType.SCHEDULED.",
    "dag_follows_airflow_2": "it follows Airflow 2 because of {reason}: {clauses}. docs/how-to/move-from-airflow-2.md explains this.",
    "it_runs_every_day": "it names no schedule and runs every day",
    "run_has_interval_before_it": "a run has the data interval before it, and ds is the start of this interval",
    "catchup_is": "catchup is {value}",
    "asset_condition_is_none": "its timetable has an asset_condition that is no asset, alias, reference or combination of them; only its times are used.",
    "timetable_differs_after_storing": "after {class_path}.deserialize its {attribute} is {value} instead of {other_value}, and its runs may differ too: let serialize return every argument.",
    # Tasks and what they name.
    "default_of_param_is_wrong": "the default of param {name!r}: {fault}, so each run needs a value for it in its conf. Correct the default, or leave it out.",
    "task_writes_asset_of_schedule": "task {subject_text} writes {names}, by which the DAG is scheduled: each run can create the next one without end. Remove the asset from the outlets or from the schedule.",
    "callback_cannot_be_called": "{name}= has {value} ({class_path}), which cannot be called: the callback will fail. Give a function or a notifier.",
    "channel_of_dag_is_missing": "its alerts or baselines name channel {name!r}, which gnomon.toml does not have: nobody is told. Add [alerts.channels.{name}].",
    "partial_was_never_mapped": "{subject_text} was never mapped, so it is no part of the DAG. Call expand() or expand_kwargs() on what partial() returned.",
    "mapped_instances_will_fail": "its instances will fail, because {error}",
    "link_is_left_out": "operator_extra_links: {fault}. It is left out.",
    "links_cannot_be_read": "operator_extra_links cannot be read, so the links are not shown ({error}).",
    "links_show_one_url": "operator_extra_links: the links {names} have one xcom_key, {key!r}, so they show one URL. Give each a key of its own.",
}
