"""What a task sees of its run: the template context, `ti`, `dag_run`, the environment."""

from gnomon.context.runtime_dag_run import RuntimeDagRun
from gnomon.context.runtime_task_instance import RuntimeTaskInstance, TaskInstanceKey
from gnomon.context.task_environment import build_task_environment
from gnomon.context.template_context import Context, build_context

__all__ = ["Context", "RuntimeDagRun", "RuntimeTaskInstance", "TaskInstanceKey", "build_context", "build_task_environment"]
