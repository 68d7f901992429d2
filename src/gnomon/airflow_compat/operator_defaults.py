"""The defaults of operators under the names that Airflow's modules give them, with the options of this installation."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.authoring.sdk.arguments.task_rules import TriggerRule, WeightRule
from gnomon.authoring.sdk.signatures.fields import OPERATOR_FIELDS, OptionDefault

_defaults = {field.name: field.default for field in OPERATOR_FIELDS}


def _read(argument: str) -> Any:
    default = _defaults[argument]
    return default.value() if isinstance(default, OptionDefault) else default


DEFAULT_OWNER = _read("owner")
DEFAULT_QUEUE = _read("queue")
DEFAULT_POOL_NAME = _read("pool")
DEFAULT_POOL_SLOTS = _read("pool_slots")
DEFAULT_PRIORITY_WEIGHT = _read("priority_weight")
DEFAULT_EXECUTOR = _read("executor")
DEFAULT_IGNORE_FIRST_DEPENDS_ON_PAST = _read("ignore_first_depends_on_past")
DEFAULT_WAIT_FOR_PAST_DEPENDS_BEFORE_SKIPPING = _read("wait_for_past_depends_before_skipping")
DEFAULT_RETRIES = _read("retries")
DEFAULT_RETRY_DELAY = _read("retry_delay")
DEFAULT_TASK_EXECUTION_TIMEOUT = _read("execution_timeout")
DEFAULT_EMAIL_ON_FAILURE = _read("email_on_failure")
DEFAULT_EMAIL_ON_RETRY = _read("email_on_retry")
DEFAULT_TRIGGER_RULE = TriggerRule(_read("trigger_rule"))
DEFAULT_WEIGHT_RULE = WeightRule(_read("weight_rule"))
MAX_RETRY_DELAY = option_defaults.read_integer("core", "max_task_retry_delay")
"""In seconds."""
