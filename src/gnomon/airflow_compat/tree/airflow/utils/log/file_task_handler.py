"""`airflow.utils.log.file_task_handler`."""

from gnomon.airflow_compat.missing_names import make_getattr

__getattr__ = make_getattr(__name__)
