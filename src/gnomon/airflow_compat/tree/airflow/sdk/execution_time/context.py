"""`airflow.sdk.execution_time.context`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.context.state_store_accessors import (
    NEVER_EXPIRE,
    AssetStateStoreAccessor,
    AssetStateStoreAccessors,
    TaskStateStoreAccessor,
)
from gnomon.context.task_environment import collect_environment_values as context_to_airflow_vars
from gnomon.sdk import get_current_context

__all__ = [
    "NEVER_EXPIRE", "AssetStateStoreAccessor", "AssetStateStoreAccessors", "TaskStateStoreAccessor", "context_to_airflow_vars",
    "get_current_context",
]
__getattr__ = make_getattr(__name__)
