"""`airflow.decorators`: names load when they are first used."""

from gnomon.airflow_compat.missing import lazy

__all__, __getattr__ = lazy(__name__, {
    "TaskDecorator": "gnomon.sdk.decorators",
    "dag": "gnomon.sdk.dag_decorator",
    "setup": "gnomon.sdk",
    "task": "gnomon.sdk",
    "task_group": "gnomon.sdk",
    "teardown": "gnomon.sdk",
})
