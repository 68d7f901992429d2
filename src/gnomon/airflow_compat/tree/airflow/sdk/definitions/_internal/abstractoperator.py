"""`airflow.sdk.definitions._internal.abstractoperator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.operator_defaults import (
    DEFAULT_EMAIL_ON_FAILURE,
    DEFAULT_EMAIL_ON_RETRY,
    DEFAULT_EXECUTOR,
    DEFAULT_IGNORE_FIRST_DEPENDS_ON_PAST,
    DEFAULT_OWNER,
    DEFAULT_POOL_NAME,
    DEFAULT_POOL_SLOTS,
    DEFAULT_PRIORITY_WEIGHT,
    DEFAULT_QUEUE,
    DEFAULT_RETRIES,
    DEFAULT_RETRY_DELAY,
    DEFAULT_TASK_EXECUTION_TIMEOUT,
    DEFAULT_TRIGGER_RULE,
    DEFAULT_WAIT_FOR_PAST_DEPENDS_BEFORE_SKIPPING,
    DEFAULT_WEIGHT_RULE,
    MAX_RETRY_DELAY,
)
from gnomon.authoring.sdk.members.task_membership import TaskMembership as AbstractOperator

__all__ = [
    "AbstractOperator",
    "DEFAULT_EMAIL_ON_FAILURE",
    "DEFAULT_EMAIL_ON_RETRY",
    "DEFAULT_EXECUTOR",
    "DEFAULT_IGNORE_FIRST_DEPENDS_ON_PAST",
    "DEFAULT_OWNER",
    "DEFAULT_POOL_NAME",
    "DEFAULT_POOL_SLOTS",
    "DEFAULT_PRIORITY_WEIGHT",
    "DEFAULT_QUEUE",
    "DEFAULT_RETRIES",
    "DEFAULT_RETRY_DELAY",
    "DEFAULT_TASK_EXECUTION_TIMEOUT",
    "DEFAULT_TRIGGER_RULE",
    "DEFAULT_WAIT_FOR_PAST_DEPENDS_BEFORE_SKIPPING",
    "DEFAULT_WEIGHT_RULE",
    "MAX_RETRY_DELAY",
]
__getattr__ = make_getattr(__name__)
