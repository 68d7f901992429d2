"""`airflow.sdk.types`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.dag_run import DagRun as DagRunProtocol
from gnomon.context.task_instance import TaskInstance as RuntimeTaskInstanceProtocol
from gnomon.context.task_instance_key import TaskInstanceKey
from gnomon.sdk.operator import BaseOperator as Operator

__all__ = ["DagRunProtocol", "Operator", "RuntimeTaskInstanceProtocol", "TaskInstanceKey"]
__getattr__ = missing(__name__)
