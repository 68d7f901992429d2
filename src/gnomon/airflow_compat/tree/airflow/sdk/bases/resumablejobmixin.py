"""`airflow.sdk.bases.resumablejobmixin`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.tasks.resumable_job import ResumableJobMixin

__all__ = ["ResumableJobMixin"]
__getattr__ = make_getattr(__name__)
