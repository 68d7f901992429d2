"""Records of DAGs, runs, task instances, import errors and processes, as listings and documents show them.

`dag_list.py` and `run_list.py` come first: they find a DAG or a run by name and build their rows. `not_found.py` words the error
for an unknown name, `task_selection.py` and `downstream_runs.py` select what to clear.
"""
