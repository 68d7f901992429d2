"""Options of secrets backends."""

from __future__ import annotations

from gnomon.ground.config.option import ConfigOption, OptionKind

_T, _N, _B = OptionKind.TEXT, OptionKind.NUMBER, OptionKind.BOOLEAN
_KWARGS = "The arguments of that class, as a JSON object. Its values are not shown, and processes of DAG files and tasks have them."

SECRETS_OPTIONS = (
    ConfigOption(
        "secrets",
        "backend",
        "",
        _T,
        "The class that is asked for connections and Variables before the environment and the database, as a dotted path such as "
        "airflow.secrets.local_filesystem.LocalFilesystemBackend; empty: none.",
        may_be_empty=True,
    ),
    ConfigOption(
        "secrets", "backend_kwargs", "", _T, _KWARGS, may_be_empty=True, is_secret=True, is_for_author_code=True
    ),
    ConfigOption(
        "secrets",
        "backend_timeout",
        "20",
        _N,
        "Time limit for one question to a secrets backend, in seconds; then the next place is asked. Not an option of Airflow.",
        minimum=0.1,
    ),
    ConfigOption(
        "secrets",
        "use_cache",
        "False",
        _B,
        "Whether answers of a secrets backend to imports of DAG files are kept for cache_ttl_seconds; tasks always ask.",
    ),
    ConfigOption("secrets", "cache_ttl_seconds", "900", _N, "How long such an answer is kept, in seconds.", minimum=0),
    ConfigOption(
        "workers",
        "secrets_backend",
        "",
        _T,
        "As [secrets] backend, for tasks and triggers; empty: that of [secrets].",
        may_be_empty=True,
    ),
    ConfigOption(
        "workers", "secrets_backend_kwargs", "", _T, _KWARGS, may_be_empty=True, is_secret=True, is_for_author_code=True
    ),
)
