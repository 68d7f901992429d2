"""`airflow.sdk.execution_time.context`."""

from gnomon.airflow_compat.context_variables import (
    AIRFLOW_VAR_NAME_FORMAT_MAPPING,
    DEFAULT_FORMAT_PREFIX,
    ENV_VAR_FORMAT_PREFIX,
    context_to_airflow_vars,
)
from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.state_store_accessors import (
    NEVER_EXPIRE,
    AssetStateStoreAccessor,
    AssetStateStoreAccessors,
    TaskStateStoreAccessor,
)
from gnomon.authoring.sdk import get_current_context

__all__ = [
    "AIRFLOW_VAR_NAME_FORMAT_MAPPING",
    "DEFAULT_FORMAT_PREFIX",
    "ENV_VAR_FORMAT_PREFIX",
    "NEVER_EXPIRE",
    "AssetStateStoreAccessor",
    "AssetStateStoreAccessors",
    "TaskStateStoreAccessor",
    "context_to_airflow_vars",
    "get_current_context",
]
__getattr__ = make_getattr(__name__)
