"""What tasks, mapped tasks and task groups have in common as members of a DAG: membership, relations, execution, results (`xcom_arg`), and where an
instance stands in the expansions around it (`map_position`). `task_group` is the group itself; `operator_meta` wraps `__init__` to apply default_args.
"""
