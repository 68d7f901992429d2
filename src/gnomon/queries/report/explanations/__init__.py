"""Sentences on why a DAG, a run or a task is not running: what `gnomon explain` prints. Open `explanation.py` first.

`explanation.py` combines the facts of the database with the reasons of the engine's own rules (`gnomon.rules.engine.explain`).
`upstream_wait_status.py` and `upstream_slot_status.py` explain waits for other DAGs, `skipped_slots.py` and `year_calendar.py` slots and days
without a run.
"""
