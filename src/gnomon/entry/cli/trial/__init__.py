"""A trial, what `gnomon dags test` makes: one run of one DAG by the real scheduler, worker and triggerer, in a temporary home.

Start with `trial_run.py`, which goes from the file or DAG id to the end of the run. `dag_search.py` finds the DAG,
`trial_services.py` runs the services, `trial_progress.py` shows states.
The temporary home and the reader of logs are those of `gnomon.entry.testing.dag_runs`, which `dag.test()` uses too.
"""
