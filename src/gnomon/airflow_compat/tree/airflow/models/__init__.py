"""`airflow.models`: names load when they are first used."""

from gnomon.airflow_compat.missing import lazy

__all__, __getattr__ = lazy(__name__, {
    "BaseOperator": "gnomon.sdk",
    "BaseOperatorLink": "gnomon.airflow_compat.operator_link",
    "Connection": "gnomon.sdk",
    "DAG": "gnomon.sdk",
    "DagBag": "gnomon.airflow_compat.dagbag",
    "Operator": "gnomon.sdk.operator:BaseOperator",
    "Param": "gnomon.sdk",
    "SkipMixin": "gnomon.sdk",
    "Variable": "gnomon.sdk",
    "XComArg": "gnomon.sdk",
})
