"""What a task sees of its run: the template context, `ti`, `dag_run`, the environment."""

from gnomon.context.build import build_context
from gnomon.context.dag_run import DagRun
from gnomon.context.environment import environment_of
from gnomon.context.lazy import Context
from gnomon.context.task_instance import TaskInstance
from gnomon.context.task_instance_key import TaskInstanceKey

__all__ = ["Context", "DagRun", "TaskInstance", "TaskInstanceKey", "build_context", "environment_of"]
