"""What authors write with, and how it becomes data: `DAG`, operators, `@task`, XComs, params, connections, triggers; then a `DagSpec`.

From top to bottom: `operators` (the built-in operators, sensors and triggers) and `sdk` (everything that they are made of). Users import these names
from `gnomon` and `gnomon.operators`, or from Airflow's paths; the paths here may change. May import `rules` (timetables are arguments of a DAG), `ground`
and `model`. Knows nothing of the store, of services or of how a task is run; a module is loaded when one of its names is first used, because each
parse of a file pays for what it loads.

An example: `with DAG("sales", schedule="@daily"): load()` builds a `DAG` object (`sdk/dags/dag.py`); `sdk/dags/dag_spec.py` turns it into a `DagSpec`
(`model/spec.py`), which is all that leaves the process that imported the file.
"""
