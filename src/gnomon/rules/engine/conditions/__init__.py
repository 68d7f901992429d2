"""Why a DAG, a run or a task instance waits: the conditions that the rules of the engine check, met or not, evaluated on the same data.

From top to bottom: `dag_conditions.py`, `run_conditions.py`, `instance_conditions.py`, `attempt_conditions.py`, `admission_conditions.py`. They change
nothing, and the scheduler calls none of them: only who explains does (`gnomon.queries.report.explanations`).
"""
