"""The release whose behaviour is expected: 3.3."""

from __future__ import annotations

from airflow.sdk import XCOM_RETURN_KEY, BaseOperator, PokeReturnValue, timezone  # noqa: F401
from airflow.sdk._shared.module_loading import import_string  # noqa: F401
from airflow.sdk.definitions._internal.types import NOTSET, SET_DURING_EXECUTION, ArgNotSet  # noqa: F401
from airflow.utils.types import DagRunTriggeredByType  # noqa: F401

AIRFLOW_V_2_10_PLUS = AIRFLOW_V_2_11_PLUS = AIRFLOW_V_3_0_PLUS = AIRFLOW_V_3_0_1 = AIRFLOW_V_3_0_3_PLUS = True
AIRFLOW_V_3_1_PLUS = AIRFLOW_V_3_1_3_PLUS = AIRFLOW_V_3_2_PLUS = AIRFLOW_V_3_2_2_PLUS = AIRFLOW_V_3_3_PLUS = True
AIRFLOW_V_3_4_PLUS = False
AIRFLOW_V_3_0_1 = False
"""Only that release."""


def remove_task_decorator(python_source: str, task_decorator_name: str) -> str:
    """The source without the decorator."""
    from airflow.providers.standard.utils.python_virtualenv import remove_task_decorator as remove

    return remove(python_source, task_decorator_name)


def get_base_airflow_version_tuple() -> tuple[int, int, int]:
    """The release as numbers."""
    return (3, 3, 2)
