"""`airflow.decorators.setup_teardown`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.decorators import setup as setup_task, teardown as teardown_task

__all__ = ["setup_task", "teardown_task"]
__getattr__ = missing(__name__)
