"""DAGs, task groups and the graph. `dag` has the class DAG: open it first. `dag_nodes`, `task_group`, `edges`, `topology` and `setup_teardown`
build the graph, `dag_checks` checks it, `dag_spec` turns a DAG into the data that the scheduler gets, and `authoring_state` has the DAGs, groups and
blocks that are open in this process.
"""
