"""`airflow.timetables.assets`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.assets.asset_schedules import AssetOrTimeSchedule

__all__ = ["AssetOrTimeSchedule"]
__getattr__ = make_getattr(__name__)
