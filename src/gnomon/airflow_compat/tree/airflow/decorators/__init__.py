"""`airflow.decorators`: names load when they are first used."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(
    __name__,
    {
        "TaskDecorator": "gnomon.authoring.sdk.tasks.task_decorators",
        "dag": "gnomon.authoring.sdk.dags.dag_decorators",
        "setup": "gnomon.authoring.sdk",
        "task": "gnomon.authoring.sdk",
        "task_group": "gnomon.authoring.sdk",
        "teardown": "gnomon.authoring.sdk",
    },
)
