"""Why a DAG, a run or a task is not running: what `gnomon explain` prints and the page shows. Open `explanation.py` first.

`dag_explanation.py`, `run_explanation.py` and `task_explanation.py` combine the conditions of the database (`dag_state_conditions.py`) with those of the
engine's own rules (`gnomon.rules.engine.conditions`), evaluated on the state that a scheduler would load if it owned all groups: an explanation is what
the scheduler would decide. `upstream_conditions.py` and `upstream_slot_status.py` explain waits for other DAGs, `deferral_status.py` the trigger of a
deferred task, `ended_conditions.py` what has ended, `skipped_slots.py` slots without a run.
"""
