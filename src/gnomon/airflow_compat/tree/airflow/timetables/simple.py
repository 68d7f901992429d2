"""`airflow.timetables.simple`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.assets.asset_schedules import AssetTriggeredTimetable
from gnomon.authoring.sdk.assets.partitioned_schedule import PartitionedAssetTimetable
from gnomon.timetables import ContinuousTimetable, NullTimetable, OnceTimetable, PartitionedAtRuntime

DatasetTriggeredTimetable = AssetTriggeredTimetable

__all__ = [
    "AssetTriggeredTimetable",
    "ContinuousTimetable",
    "DatasetTriggeredTimetable",
    "NullTimetable",
    "OnceTimetable",
    "PartitionedAssetTimetable",
    "PartitionedAtRuntime",
]
__getattr__ = make_getattr(__name__)
