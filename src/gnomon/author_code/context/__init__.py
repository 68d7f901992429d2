"""The view that a running task has of its run: the template context, `ti`, `dag_run` and the environment variables.

`template_context` builds the context: open it first. `template_variables` lists its keys, `runtime_task_instance` is `ti`,
`runtime_dag_run` is `dag_run`, and `airflow_configuration` is `conf`.
"""

from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.author_code.context.runtime_task_instance import RuntimeTaskInstance
from gnomon.author_code.context.task_environment import build_task_environment, set_task_environment
from gnomon.author_code.context.task_instance_key import TaskInstanceKey
from gnomon.author_code.context.template_context import Context, build_context

__all__ = [
    "Context",
    "RuntimeDagRun",
    "RuntimeTaskInstance",
    "TaskInstanceKey",
    "build_context",
    "build_task_environment",
    "set_task_environment",
]
