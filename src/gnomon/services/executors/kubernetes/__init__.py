"""The KubernetesExecutor: a pod for each attempt, which claims the attempt through the execution API.

    KubernetesExecutor (a thread of the scheduler's loop) --attempts, deletions--> PodController (two threads) --requests, watch--> API server of the cluster
             ^-------------------- statuses of pods --------------------------------'

Open `executor.py` first. `pod_template.py` builds the pod of an attempt, `pod_status.py` reads what became of it; both are pure. `cluster.py` is
the only module that knows the client (the extra `kubernetes`). Design: docs/decisions/0025-kubernetes-executor.md.
"""
