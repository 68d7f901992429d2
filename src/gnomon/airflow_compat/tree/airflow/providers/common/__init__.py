"""`airflow.providers.common`: what Gnomon brings of it, and the installed packages (`common-sql`, ...)."""

from gnomon.author_code.loading.new_packages import new_provider_folders as _new_provider_folders

__path__ = [*_new_provider_folders(__path__, "common"), *__path__]
