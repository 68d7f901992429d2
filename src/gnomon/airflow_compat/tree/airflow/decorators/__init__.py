"""`airflow.decorators`: names load when they are first used."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(__name__, {
    "TaskDecorator": "gnomon.sdk.tasks.task_decorators",
    "dag": "gnomon.sdk.dags.dag_decorators",
    "setup": "gnomon.sdk",
    "task": "gnomon.sdk",
    "task_group": "gnomon.sdk",
    "teardown": "gnomon.sdk",
})
