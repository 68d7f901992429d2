"""Operators, sensors and decorated functions. `operator` has the class BaseOperator: open it first. `decorated_operators` and `task_decorators` are
`@task`, `sensor` is what waits, `branching` what chooses.
"""
