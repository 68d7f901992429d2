"""`airflow.operators.python`: names load when they are first used, since few files need the operators of virtual environments."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(
    __name__,
    {
        "BranchExternalPythonOperator": "gnomon.authoring.operators.virtualenv",
        "BranchPythonOperator": "gnomon.authoring.operators.python",
        "BranchPythonVirtualenvOperator": "gnomon.authoring.operators.virtualenv",
        "ExternalPythonOperator": "gnomon.authoring.operators.virtualenv",
        "PythonOperator": "gnomon.authoring.operators.python",
        "PythonVirtualenvOperator": "gnomon.authoring.operators.virtualenv",
        "ShortCircuitOperator": "gnomon.authoring.operators.python",
        "get_current_context": "gnomon.authoring.operators.python",
    },
)
