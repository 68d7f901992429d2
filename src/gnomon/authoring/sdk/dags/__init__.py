"""The class DAG, its decorators, and its way to data. `dag` has the class: open it first. `dag_checks` checks a complete DAG, `dag_spec` turns it into
the data that the scheduler gets.
"""
