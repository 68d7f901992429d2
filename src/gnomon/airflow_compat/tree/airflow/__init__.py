"""`airflow`: the package as Gnomon provides it. Names load when they are first used."""

from gnomon.airflow_compat import missing_names as _missing

_missing.install_finder()

__version__ = "3.3.2"

__all__, __getattr__ = _missing.make_lazy_exports(
    __name__,
    {
        "AirflowException": "gnomon.model.errors.authoring",
        "Asset": "gnomon.authoring.sdk",
        "DAG": "gnomon.authoring.sdk",
        "Dataset": "gnomon.authoring.sdk",
        "XComArg": "gnomon.authoring.sdk",
        "conf": "gnomon.author_code.context.airflow_configuration",
    },
)
__all__ += ["__version__"]
