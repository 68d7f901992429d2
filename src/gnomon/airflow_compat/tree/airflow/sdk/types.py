"""`airflow.sdk.types`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun as DagRunProtocol
from gnomon.author_code.context.runtime_task_instance import RuntimeTaskInstance as RuntimeTaskInstanceProtocol
from gnomon.author_code.context.task_instance_key import TaskInstanceKey
from gnomon.authoring.sdk.tasks.operator import BaseOperator as Operator

__all__ = ["DagRunProtocol", "Operator", "RuntimeTaskInstanceProtocol", "TaskInstanceKey"]
__getattr__ = make_getattr(__name__)
