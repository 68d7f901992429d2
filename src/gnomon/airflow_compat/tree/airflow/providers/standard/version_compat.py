"""`airflow.providers.standard.version_compat`: Airflow's version as flags."""

from airflow import __version__
from airflow.sdk.definitions._internal.types import NOTSET, ArgNotSet, is_arg_set

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import BaseOperator

__all__ = [
    "AIRFLOW_V_3_0_PLUS",
    "AIRFLOW_V_3_1_3_PLUS",
    "AIRFLOW_V_3_1_PLUS",
    "AIRFLOW_V_3_2_PLUS",
    "AIRFLOW_V_3_3_PLUS",
    "ArgNotSet",
    "BaseOperator",
    "NOTSET",
    "get_base_airflow_version_tuple",
    "is_arg_set",
]


def get_base_airflow_version_tuple():
    """The version of Airflow whose names Gnomon has, as three numbers."""
    return tuple(int(part) for part in __version__.split(".")[:3])


AIRFLOW_V_3_0_PLUS = get_base_airflow_version_tuple() >= (3, 0, 0)
AIRFLOW_V_3_1_PLUS = get_base_airflow_version_tuple() >= (3, 1, 0)
AIRFLOW_V_3_1_3_PLUS = get_base_airflow_version_tuple() >= (3, 1, 3)
AIRFLOW_V_3_2_PLUS = get_base_airflow_version_tuple() >= (3, 2, 0)
AIRFLOW_V_3_3_PLUS = get_base_airflow_version_tuple() >= (3, 3, 0)
__getattr__ = make_getattr(__name__)
