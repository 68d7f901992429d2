"""Names that moved between releases."""

from airflow.providers.standard.operators.bash import BashOperator  # noqa: F401
from airflow.providers.standard.operators.empty import EmptyOperator  # noqa: F401
from airflow.providers.standard.operators.python import PythonOperator  # noqa: F401
from airflow.sdk import TriggerRule, timezone  # noqa: F401


class OperatorSerialization:
    """Gnomon stores no operators: a spec is data."""


def __getattr__(name: str) -> object:
    if name != "GenericTransfer":
        raise AttributeError(name)
    from airflow.providers.common.sql.operators.generic_transfer import GenericTransfer

    return GenericTransfer
