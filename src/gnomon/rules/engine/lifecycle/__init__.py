"""The lives of task instances and runs: start, result, retry, deferral, clear, end, and the load from the store.

Open `task_lifecycle.py` first: it evaluates the rules of a task instance, makes it ready and finishes it.
`run_lifecycle.py` does the same for runs; `attempt_results.py`, `deferrals.py` and `trigger_events.py` apply what workers
and triggerers report; `expansions.py` makes the instances of mapped tasks and `tallies.py` counts what they wait for; `run_callbacks.py` and
`deadlines.py` say what a run owes, `run_stopping.py` what still runs of a run that a user marked; `version_change.py` moves runs to a new version of the DAG; `group_loading.py` loads and drops groups.
`apply` is the only function that changes the state of a task instance: `lifecycle.apply(ti, Cause.ADMIT)`.
"""

from gnomon.rules.engine.lifecycle.transition import apply, revert

__all__ = ["apply", "revert"]
