"""The values that everything else speaks about: ids, instants, states, slots, specs, records, messages and errors. No behaviour beyond their own checks.

From top to bottom: the modules of this folder; `sentences` (sentences for users by code, with all their English words); `serde` (typed JSON for
values of authors); `errors` (the exception classes, whose class says whose
fault it is). Imports nothing of Gnomon, and only `msgspec` and the standard library without clock, files and environment.

Open `states.py` and `spec.py` first: the states of runs and task instances, and a DAG as the server stores it. `records.py` holds the rows of the
store, `attempts.py` and `deferral.py` the messages between scheduler, worker and triggerer, `run_waits.py` and `upstream_edges.py` the dependencies
between DAGs, `task_api_requests.py` the requests of author code.

An example: the worker sends an `AttemptResult` (`attempts.py`), the engine turns it into a `TaskInstanceState` (`states.py`), the store writes a
`TaskInstanceRecord` (`records.py`): three layers that never import one another, and one vocabulary.
"""
