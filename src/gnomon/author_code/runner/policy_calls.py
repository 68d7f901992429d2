"""Calls the cluster policies of a task instance in the process of its attempt: each function has a time limit.

`task_instance_mutation_hook` is not called here: the scheduler has asked it before the try, and its answer came with the attempt.
"""

from __future__ import annotations

from typing import Any

from gnomon.author_code.context import build_task_environment
from gnomon.author_code.loading import cluster_policies
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.author_code.runner.signals import time_limit
from gnomon.model.attempts import InstanceOverrides

POLICY_TIMEOUT_S = 30.0
"""The limit of one call of one function. A policy that runs longer fails the attempt; it does not hold the worker's slot for ever."""

log = RunnerLog("gnomon.task")


def apply_task_policies(context: Any, overrides: InstanceOverrides | None) -> dict[str, str]:
    """Call the policies for the task instance of the context; return the environment variables of its process.

    `overrides`: what `task_instance_mutation_hook` set; what of it has no effect is named in the log.
    Raises ClusterPolicyFailed for a function that raises or runs for longer than POLICY_TIMEOUT_S, and AirflowClusterPolicyViolation.
    """
    if overrides is not None and overrides.without_effect:
        log.warning(
            "task_instance_mutation_hook set %s, which has no effect: only queue, pool, pool_slots, priority_weight and executor are taken over. "
            "Set it in task_policy, or as an argument of the task.",
            ", ".join(overrides.without_effect),
        )
    return {**cluster_policies.collect_context_variables(context, limit=_limit_call), **build_task_environment(context)}


def _limit_call(name: str) -> time_limit:
    return time_limit(POLICY_TIMEOUT_S, f"cluster policy {name}")
