"""The arguments of DAGs and tasks. `fields` is the table of all arguments with their defaults and checks: open it first. `converters` has the
checks, `old_arguments` the names of Airflow 2, `params` and `json_schema` the params of a DAG, `code_location` the author's line for messages.
"""
