"""`airflow.sdk.lineage`."""

from gnomon.airflow_compat.inert_features import (
    AssetLineageInfo,
    HookLineage,
    HookLineageCollector,
    HookLineageCollector as NoOpCollector,
    HookLineageReader,
    get_hook_lineage_collector,
)
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = [
    "AssetLineageInfo",
    "HookLineage",
    "HookLineageCollector",
    "HookLineageReader",
    "NoOpCollector",
    "get_hook_lineage_collector",
]
__getattr__ = make_getattr(__name__)
