"""`airflow.utils.state`: states, and the sets of them."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.model.states import DagRunState, TaskInstanceState

__all__ = ["DagRunState", "State", "TaskInstanceState"]


class State:
    """The states of runs and task instances by name, and sets of them."""

    SUCCESS = TaskInstanceState.SUCCESS
    RUNNING = TaskInstanceState.RUNNING
    FAILED = TaskInstanceState.FAILED
    NONE = None
    REMOVED = TaskInstanceState.REMOVED
    SCHEDULED = TaskInstanceState.SCHEDULED
    QUEUED = TaskInstanceState.QUEUED
    RESTARTING = TaskInstanceState.RESTARTING
    UP_FOR_RETRY = TaskInstanceState.UP_FOR_RETRY
    UP_FOR_RESCHEDULE = TaskInstanceState.UP_FOR_RESCHEDULE
    UPSTREAM_FAILED = TaskInstanceState.UPSTREAM_FAILED
    SKIPPED = TaskInstanceState.SKIPPED
    DEFERRED = TaskInstanceState.DEFERRED

    finished_dr_states = frozenset({DagRunState.SUCCESS, DagRunState.FAILED})
    unfinished_dr_states = frozenset({DagRunState.QUEUED, DagRunState.RUNNING})
    task_states = (None, *TaskInstanceState)
    dag_states = tuple(DagRunState)
    finished = frozenset({SUCCESS, FAILED, SKIPPED, UPSTREAM_FAILED, REMOVED})
    unfinished = frozenset({None, *TaskInstanceState} - finished)
    failed_states = frozenset({FAILED, UPSTREAM_FAILED})
    success_states = frozenset({SUCCESS, SKIPPED})
    adoptable_states = frozenset({QUEUED, RUNNING, RESTARTING})
    terminating_states = frozenset({SUCCESS, FAILED, SKIPPED, UPSTREAM_FAILED, UP_FOR_RETRY})

    @classmethod
    def color(cls, state):
        """The colour that listings give the state."""
        return _COLORS.get(None if state is None else str(state), "white")

    @classmethod
    def color_fg(cls, state):
        """The colour of text on it."""
        return "white" if cls.color(state) in ("green", "red") else "black"


_COLORS = {
    None: "lightblue",
    "queued": "gray",
    "running": "lime",
    "success": "green",
    "restarting": "violet",
    "failed": "red",
    "up_for_retry": "gold",
    "up_for_reschedule": "turquoise",
    "upstream_failed": "orange",
    "skipped": "hotpink",
    "removed": "lightgrey",
    "scheduled": "tan",
    "deferred": "mediumpurple",
}
__getattr__ = make_getattr(__name__)
