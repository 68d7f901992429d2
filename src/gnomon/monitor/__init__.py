"""The monitor: evaluates the rules of alerts, sends messages, and does the nightly clean; one process at a time, by a lease.

    owner of a DAG --alert_event--> monitor --alert, alert_delivery--> sender threads --> e-mail, webhook, Slack, notifier

It runs no author code in its own process: a notifier runs in a child process. `service.py` is the loop, `alert_evaluation.py` finds what
rules say, `delivery_queue.py` groups alerts into messages, `delivery_dispatch.py` sends them. docs/decisions/0014-alerts.md says why.
"""
