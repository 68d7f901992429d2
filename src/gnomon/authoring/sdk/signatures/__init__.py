"""Which arguments a DAG, a task group and a task have. `fields` is the table of all, with defaults, checks and effect: open it first. `old_arguments`
accepts the names of Airflow 2.
"""
