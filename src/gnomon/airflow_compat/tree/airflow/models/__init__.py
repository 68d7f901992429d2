"""`airflow.models`: names load when they are first used."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(__name__, {
    "BaseOperator": "gnomon.sdk",
    "BaseOperatorLink": "gnomon.sdk.tasks.operator_links",
    "Connection": "gnomon.sdk.runtime.connection:ConnectionModel",
    "DAG": "gnomon.sdk",
    "DagBag": "gnomon.airflow_compat.dagbag",
    "MappedOperator": "gnomon.sdk.mapping.mapped_operator",
    "Operator": "gnomon.sdk.tasks.operator:BaseOperator",
    "Param": "gnomon.sdk",
    "SkipMixin": "gnomon.sdk",
    "Variable": "gnomon.sdk",
    "XCom": "gnomon.sdk.runtime.xcom:BaseXCom",
    "XComArg": "gnomon.sdk",
})
