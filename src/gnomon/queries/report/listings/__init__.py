"""Records of DAGs, runs, task instances, import errors and processes, as listings and documents show them.

`dag_list.py` and `run_list.py` come first: they find a DAG or a run by name and build their rows. `not_found.py` words the error
for an unknown name, `task_selection.py` and `downstream_runs.py` select what to clear, `log_index.py` and
`log_ranges.py` read logs of any size, `setup_problems.py` names set-ups of several hosts that cannot work, `local_time.py` formats instants.
"""
