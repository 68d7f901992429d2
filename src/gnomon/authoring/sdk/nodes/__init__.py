"""The graph of a DAG without its classes: what a DAG, a task group and a task are to one another. `node_types` has the protocols of the three: open it
first. `edges`, `topology` and `setup_teardown` build the graph, `authoring_state` has the DAGs, groups and blocks that are open in this process.
"""
