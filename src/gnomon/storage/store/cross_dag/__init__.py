"""Dependencies between DAGs (CROSS_DAG in docs/contributing/ownership.md).

Open `run_waits.py` first: what each run waits for. `dag_edges.py` is the graph of all DAGs.
"""
