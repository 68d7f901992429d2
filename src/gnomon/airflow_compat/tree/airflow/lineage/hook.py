"""`airflow.lineage.hook`."""

from gnomon.airflow_compat.lineage import (
    AssetLineageInfo,
    HookLineage,
    HookLineageCollector,
    HookLineageCollector as NoOpCollector,
    HookLineageReader,
    get_hook_lineage_collector,
)
from gnomon.airflow_compat.missing import missing

__all__ = [
    "AssetLineageInfo",
    "HookLineage",
    "HookLineageCollector",
    "HookLineageReader",
    "NoOpCollector",
    "get_hook_lineage_collector",
]
__getattr__ = missing(__name__)
