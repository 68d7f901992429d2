"""The monitor: evaluates the rules of alerts, sends messages, and does the nightly clean; one process at a time, by a lease.

    owner of a DAG --alert_event--> monitor --alert, alert_delivery--> sender threads --> e-mail, webhook, Slack, notifier

`service.py` is the loop, `event_evaluation.py` and `state_evaluation.py` find what rules say, `delivery_queue.py` groups alerts into messages,
`delivery_dispatch.py` sends them by `gnomon.changes.alert_channels`. It runs no author code in its own process: a notifier runs in a child process.
docs/decisions/0014-alerts.md says why.
"""
