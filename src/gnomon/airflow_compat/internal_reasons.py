"""Why names of Airflow's own services and tables raise on use, by the module that has them, and what to use instead."""

from __future__ import annotations

from gnomon.airflow_compat import coverage_gaps as gaps

INTERNAL = "it is internal to Airflow; what DAG files need is in airflow.sdk, and in the dialect of Airflow 2 in airflow.models, airflow.decorators and airflow.operators"
OPTIONS = "the options of a Gnomon installation come from its environment and gnomon.cfg; read one by airflow.configuration.conf.get(), and see `gnomon config list`"
SECRETS = "[secrets] backend chooses the secrets backends; read a value by Variable.get() or BaseHook.get_connection()"
POLICIES = "policies are functions of airflow_local_settings.py in the config folder, which Gnomon calls; a file does not call them"
LOGGING = "Gnomon sets logging up by its options; log by the logging module, or by self.log"
REASONS: dict[str, str] = {
    "airflow": INTERNAL,
    "airflow.api": gaps.DRIVING,
    "airflow.api_connexion": gaps.WEB,
    "airflow.api_fastapi": gaps.WEB,
    "airflow.api_fastapi.app": gaps.ACCESS,
    "airflow.api_fastapi.auth": gaps.ACCESS,
    "airflow.api_fastapi.common.db": gaps.SESSIONS,
    "airflow.api_fastapi.core_api.security": gaps.ACCESS,
    "airflow.assets": gaps.ASSETS,
    "airflow.configuration": OPTIONS,
    "airflow.dag_processing": gaps.SERVICES,
    "airflow.datasets": gaps.ASSETS,
    "airflow.executors": gaps.EXECUTORS,
    "airflow.jobs": gaps.SERVICES,
    "airflow.lineage": gaps.LINEAGE,
    "airflow.models": gaps.RECORDS,
    "airflow.models.asset": gaps.ASSETS,
    "airflow.models.baseoperator": INTERNAL,
    "airflow.models.dag": gaps.DAG_RECORDS,
    "airflow.models.dagrun": gaps.RUNS,
    "airflow.models.dataset": gaps.ASSETS,
    "airflow.models.pool": gaps.POOLS,
    "airflow.models.taskinstance": gaps.TASK_INSTANCES,
    "airflow.models.mappedoperator": INTERNAL,
    "airflow.models.abstractoperator": INTERNAL,
    "airflow.models.expandinput": INTERNAL,
    "airflow.models.param": INTERNAL,
    "airflow.models.taskmixin": INTERNAL,
    "airflow.models.xcom_arg": INTERNAL,
    "airflow.operators.subdag": gaps.SUBDAGS,
    "airflow.plugins_manager": "`gnomon plugins list` shows the plugins and what they bring; a plugin is a class that derives from AirflowPlugin",
    "airflow.policies": POLICIES,
    "airflow.providers_manager": "`gnomon providers list` shows the packages; hooks are made by BaseHook.get_hook()",
    "airflow.secrets.cache": gaps.CACHE,
    "airflow.sdk.api": "the messages between a task and its worker are Gnomon's own; use the task context",
    "airflow.sdk.configuration": OPTIONS,
    "airflow.sdk.execution_time": "the messages between a task and its worker are Gnomon's own; use the task context",
    "airflow.sdk.log": LOGGING,
    "airflow.sdk.plugins_manager": "`gnomon plugins list` shows the plugins and what they bring",
    "airflow.sdk.providers_manager_runtime": "`gnomon providers list` shows the packages; hooks are made by BaseHook.get_hook()",
    "airflow.sdk.serde": "a value of a type of your own needs serialize() and deserialize() of its class, which XComs use",
    "airflow.secrets": SECRETS,
    "airflow.security": gaps.PERMISSIONS,
    "airflow.security.kerberos": "Gnomon renews no Kerberos tickets; run `kinit` by a timer of the machine",
    "airflow.serialization": "serialized DAGs are internal; see `gnomon dags show` for what is stored, and serialize() of a Timetable for the values of your own",
    "airflow.settings": OPTIONS,
    "airflow.task": INTERNAL,
    "airflow.ti_deps": "what a task waits for is not extensible; use a sensor, or a trigger rule",
    "airflow.traces": "a task begins spans of its own from ti.context_carrier",
    "airflow.utils.cli": "Gnomon's commands are `gnomon ...` (docs/reference/cli.md); a task calls them as a program, or the API",
    "airflow.utils.db": gaps.DATABASE,
    "airflow.utils.log": gaps.LOG_HANDLERS,
    "airflow.utils.process_utils": "use the module subprocess",
    "airflow.utils.pydantic": "use the package pydantic",
    "airflow.utils.session": gaps.SESSIONS,
    "airflow.utils.sqlalchemy": gaps.SESSIONS,
    "airflow.www": gaps.WWW,
}
"""The longest of these packages that contains a module has its reason."""


def find_reason(module: str) -> str:
    """The reason for the internal names of that module."""
    while module not in REASONS:
        module = module.rpartition(".")[0]
    return REASONS[module]
