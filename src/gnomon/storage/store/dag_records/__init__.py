"""DAGs, runs, XComs, backfills and the audit log, as every process may read them.

Open `dag_runs.py` first: it lists runs and creates manual ones. `dags.py` pauses DAGs, `upstream_dags.py` says what is known of the slots of an
upstream DAG.
"""
