"""`airflow.models`: names load when they are first used."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(
    __name__,
    {
        "BaseOperator": "gnomon.authoring.sdk",
        "BaseOperatorLink": "gnomon.authoring.sdk.tasks.operator_links",
        "Connection": "gnomon.authoring.sdk.connections.connection:ConnectionModel",
        "DAG": "gnomon.authoring.sdk",
        "DagBag": "gnomon.airflow_compat.dagbag",
        "MappedOperator": "gnomon.authoring.sdk.mapping.mapped_operator",
        "Operator": "gnomon.authoring.sdk.tasks.operator:BaseOperator",
        "Param": "gnomon.authoring.sdk",
        "SkipMixin": "gnomon.authoring.sdk",
        "Variable": "gnomon.authoring.sdk",
        "XCom": "gnomon.authoring.sdk.runtime.xcom:BaseXCom",
        "XComArg": "gnomon.authoring.sdk",
    },
)
