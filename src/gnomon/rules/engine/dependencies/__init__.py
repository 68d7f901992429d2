"""Waits between DAGs. The protocol is CROSS_DAG in docs/contributing/ownership.md.

Open `run_dependencies.py` first: the side of the run that waits. `upstream_subscriptions.py` is the side of the upstream DAG:
it answers subscriptions and sends updates. The two sides may belong to different schedulers.
"""
