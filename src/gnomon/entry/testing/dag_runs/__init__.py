"""Runs of a DAG for tests: `dag.test()`, and what the pytest fixtures call.

Open `foreground_run.py` first: it takes a DAG object to the end of one run, with the scheduler in this process. Tasks run in this
process by `in_process_executor.py`, and triggers by `in_process_triggers.py`; with `use_executor` a worker and a triggerer are started by
`executor_services.py`. `private_store.py` is the database of the run, `settings_files.py` reads the files of connections and Variables,
`finished_run.py` is what `dag.test()` returns.
"""
