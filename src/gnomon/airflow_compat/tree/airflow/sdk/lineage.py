"""`airflow.sdk.lineage`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.loading.hook_lineage import (
    AssetLineageInfo,
    ExtraLineageInfo,
    HookLineage,
    HookLineageCollector,
    HookLineageReader,
    NoOpCollector,
    get_hook_lineage_collector,
)

__all__ = [
    "AssetLineageInfo",
    "ExtraLineageInfo",
    "HookLineage",
    "HookLineageCollector",
    "HookLineageReader",
    "NoOpCollector",
    "get_hook_lineage_collector",
]
__getattr__ = make_getattr(__name__)
