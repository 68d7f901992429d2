"""Sentences on why a DAG, a run or a task is not running: what `gnomon explain` prints. Open `explanation.py` first.

`explanation.py` combines the facts of the database with the reasons of the engine's own rules (`gnomon.rules.engine.explain`).
`upstream_wait_status.py` and `upstream_slot_status.py` explain waits for other DAGs, `deferral_status.py` the trigger of a
deferred task, `skipped_slots.py` slots without a run.
"""
