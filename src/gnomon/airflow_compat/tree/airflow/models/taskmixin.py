"""`airflow.models.taskmixin`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.nodes.edges import DependencyMixin, DependencyMixin as TaskMixin

__all__ = ["DependencyMixin", "TaskMixin"]
__getattr__ = make_getattr(__name__)
