"""Words about provider packages and the import from Airflow."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "fernet_key_is_invalid": "the fernet key of {place} is not valid: it is 32 bytes in URL-safe base64; several are separated by commas",
    "one_fernet_key_is_invalid": "fernet key number {number} of {total} of {place} is not valid: it is 32 bytes in URL-safe base64; several are separated by commas",
    "environment_has_no_pip": "the environment of {file} has no pip, and there is neither uv nor pip in PATH; run `{file} -m ensurepip`",
    "provider_is_not_installed": "{package} is not installed; run `{command}`",
    "import_process_did_not_start": "the process that imports the modules did not start: {reason}",
    "no_provider_is_installed": "no provider package is installed; `{command}` installs one",
    "no_version_satisfies_all": "no version of {package} satisfies all packages that need it: {requirement_text}",
    "provider_needs_other_airflow": "{package} {version} needs {requirement_text}, and Gnomon stands for Airflow {airflow_version}; ask for another version, such as `{short_name}<{version}`",
    "key_decrypts_nothing": "nothing was imported: {place} decrypts no value of this database. It needs the [core] fernet_key of that Airflow: {remedy}",
    "airflow_address_is_wrong": "{url!r} is no address that can be read; write sqlite:////folder/airflow.db or postgresql://user:password@host/name. From another database use `airflow connections export`, `variables export` and `pools export`",
    "airflow_database_does_not_exist": "there is no database {file}; an absolute path has four slashes: sqlite:////folder/airflow.db",
    "file_is_no_airflow_database": "{file} is not the database of an Airflow 2 or 3: {error}",
    "file_is_no_sqlite_database": "{file} is not a SQLite database: {error}",
    "database_is_not_of_airflow": "the database is not that of an Airflow 2 or 3: {error}",
    "fernet_key_is_missing": "{place} has no fernet key; copy Airflow's [core] fernet_key there",
    "fernet_key_is_not_known": "the database has encrypted values, and the key of that Airflow is not known: {remedy}",
    "file_of_option_cannot_be_read": "{option}: {file} cannot be read: {error}",
    "file_of_option_has_no_keys": "{option}: {file} is not a file with keys: they are ASCII text",
    "kind_of_records_is_not_known": "{file} may hold connections or Variables; say which: --kind connections, --kind variables or --kind pools",
    "own_key_is_not_of_airflow": "{name} is the key of this installation, and not that of the Airflow to read: unset it, and give the other key by AIRFLOW_FERNET_KEY or --airflow-fernet-key-file ({error})",
    "records_exist": "nothing was imported: these exist with other values: {names}. Choose --on-conflict keep or --on-conflict replace",
    "installer_cannot_be_run": "{things} could not be installed: {file} cannot be run: {error}",
    "packages_were_not_installed_in_time": "{things} could not be installed within {duration}: {text} did not end. Install fewer packages by one call: those that need different versions of a library keep pip busy for long",
    "packages_were_not_installed": "not installed: {names}; installed: {things}. {reason}",
    "airflow_database_does_not_answer": "the database of Airflow does not answer: {error}",
    "exported_pool_is_no_object": "{place}: pool {name!r} must be an object with slots, a whole number of at least -1",
}
