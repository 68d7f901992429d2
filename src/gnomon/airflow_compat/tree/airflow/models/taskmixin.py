"""`airflow.models.taskmixin`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.dependency import DependencyMixin, DependencyMixin as TaskMixin

__all__ = ["DependencyMixin", "TaskMixin"]
__getattr__ = missing(__name__)
