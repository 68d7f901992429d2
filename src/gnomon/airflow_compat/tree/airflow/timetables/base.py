"""`airflow.timetables.base`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.timetables import Timetable

__all__ = ["DagRunInfo", "DataInterval", "TimeRestriction", "Timetable"]
__getattr__ = make_getattr(__name__)
