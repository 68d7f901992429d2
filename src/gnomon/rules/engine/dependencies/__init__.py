"""Waits between DAGs. The protocol is CROSS_DAG in docs/contributing/ownership.md.

`run_dependencies.py` is the side of the run that waits; `lifecycle/upstream_subscriptions.py` is the side of the upstream DAG, which
may belong to another scheduler.
"""
