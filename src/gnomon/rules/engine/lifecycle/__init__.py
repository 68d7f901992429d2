"""The lives of task instances and runs: start, result, retry, deferral, clear, end, and the load from the store.

Open `task_lifecycle.py` first: it evaluates the rules of a task instance, makes it ready and finishes it.
`run_lifecycle.py` does the same for runs. `capacity.py` acquires and releases what a live attempt counts for;
`upstream_subscriptions.py` answers the DAGs that wait for a run, and sends them updates.
`transition` is the only function that changes the state of a task instance: `lifecycle.transition(ti, Cause.ADMIT)`.
"""

from gnomon.rules.engine.lifecycle.state_change import transition, undo_transition

__all__ = ["transition", "undo_transition"]
