"""Calls the cluster policies of a task instance in the process of its attempt: each function has a time limit, and what it cannot change is named."""

from __future__ import annotations

import logging
from typing import Any

from gnomon.context import build_task_environment
from gnomon.loading import cluster_policies
from gnomon.runner.signals import time_limit

POLICY_TIMEOUT_S = 30.0
"""The limit of one call of one function. A policy that runs longer fails the attempt; it does not hold the worker's slot for ever."""
SETTLED = ("queue", "pool", "pool_slots", "priority_weight", "priority_weight_total", "executor", "executor_config")
"""What the scheduler has used when a worker calls `task_instance_mutation_hook`."""

log = logging.getLogger("gnomon.task")


def apply_task_policies(context: Any) -> dict[str, str]:
    """Call the policies for the task instance of the context; return the environment variables of its process.

    Raises ClusterPolicyFailed for a function that raises or runs for longer than POLICY_TIMEOUT_S, and AirflowClusterPolicyViolation.
    """
    ti = context["ti"]
    before = dict(vars(ti))
    cluster_policies.mutate_task_instance(ti, context["dag_run"], limit=_limit_call)
    changed = [name for name in SETTLED if name in vars(ti) and name not in before and vars(ti)[name] != getattr(ti.task, name, None)]
    if changed:
        listed = ", ".join(f"{name}={vars(ti)[name]!r}" for name in changed)
        log.warning(
            "task_instance_mutation_hook set %s, which has no effect: the task has its worker already. Set it in task_policy, or as an argument "
            "of the task.", listed,
        )
    return {**cluster_policies.collect_context_variables(context, limit=_limit_call), **build_task_environment(context)}


def _limit_call(name: str) -> time_limit:
    return time_limit(POLICY_TIMEOUT_S, f"cluster policy {name}")
