"""`airflow.timetables.datasets`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.assets.asset_schedules import DatasetOrTimeSchedule

__all__ = ["DatasetOrTimeSchedule"]
__getattr__ = make_getattr(__name__)
