"""`airflow.providers`: Gnomon's standard provider, and the installed provider packages, wherever they are on sys.path."""

from gnomon.author_code.loading.new_packages import new_provider_folders as _new_provider_folders

__path__ += _new_provider_folders(__path__)
