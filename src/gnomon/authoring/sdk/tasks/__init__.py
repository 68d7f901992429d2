"""Operators, sensors and decorated functions. `operator` has the class BaseOperator: open it first. Its base classes are in `task_relations`
(edges), `task_execution` (running) and `arguments.old_arguments` (arguments); `operator_meta` wraps `__init__` to apply default_args.
"""
