"""The rules: pure tables and functions that take facts and return a decision. No clock, no I/O, no state.

Open `transitions.py` first: the states of a task instance and what changes them. `trigger_rules.py` decides from the states of
upstream tasks whether a task runs, `previous_run.py` from the previous run, `edges.py` from other DAGs; `outcomes.py` decides
how a run ends and when a task is retried.
"""
