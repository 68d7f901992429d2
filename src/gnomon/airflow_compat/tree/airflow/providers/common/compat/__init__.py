"""`airflow.providers.common.compat`: the module `sdk`, which DAG files import; the package `common-compat` comes first where it is installed."""

from gnomon.author_code.loading.new_packages import new_provider_folders as _new_provider_folders

__path__ = [*_new_provider_folders(__path__, "common", "compat"), *__path__]
