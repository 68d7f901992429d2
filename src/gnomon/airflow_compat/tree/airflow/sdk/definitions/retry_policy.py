"""`airflow.sdk.definitions.retry_policy`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.arguments.retry_policies import (
    ChainRetryPolicy,
    ExceptionRetryPolicy,
    RetryAction,
    RetryDecision,
    RetryPolicy,
    RetryRule,
)

__all__ = ["ChainRetryPolicy", "ExceptionRetryPolicy", "RetryAction", "RetryDecision", "RetryPolicy", "RetryRule"]
__getattr__ = make_getattr(__name__)
