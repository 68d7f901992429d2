"""Words about the command line, and about the API that it asks."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "command_prints_picture": "`{command}` prints one picture",
    "command_prints_grid": "`{command}` prints the grid once",
    "queue_name_is_empty": "-q {text} has an empty name of a queue; give names with single commas between them, or leave -q out for the default queue",
    "package_is_not_installed": "gnomon celery flower needs the package {package}, which is not installed: run `pip install 'gnomon[celery]' flower`",
    "uri_excludes_json": "give either --conn-uri or --conn-json, not both",
    "option_is_whole_connection": "{option} is the whole connection: leave {options} out, or leave {option} out",
    "connection_is_not_given": "nothing is given; give --conn-uri, --conn-json, or --conn-type and other fields (`{command}`)",
    "table_is_unknown": "--tables: {name!r} is not one of {names}",
    "postgres_is_not_copied": "Gnomon does not copy a PostgreSQL database; run: {text}",
    "postgres_is_not_restored": "Gnomon does not restore a PostgreSQL database; stop all services and run: {text}",
    "dag_id_needs_file": "--dag-id can be given only with a file; {dag!r} is a DAG id",
    "api_address_is_refused": "{url} is not an address of an API: {error}",
    "api_answer_is_too_long": "the answer of {url} has more than {most} MB; ask for less, for example with --limit",
    "api_certificate_is_not_accepted": "the certificate of {url} is not accepted: {error}; if it is right, name the file with the certificate of its authority in the environment variable SSL_CERT_FILE",
    "api_speaks_no_tls": "{url} does not answer in TLS ({error}); if its api-server has no certificate, write http:// instead",
    "api_address_is_wrong": "{url!r} is not the address of an API; write it like https://gnomon.example.com or http://127.0.0.1:8080",
    "api_address_has_password": "the address of an API has no name and no password: `gnomon login URL` asks for them, and --token gives a token",
    "token_lacks_api": "--token is for an API: name it with --api URL, or the variable {name}",
    "login_takes_no_token": "a login asks for a token and takes none: leave --token out",
    "api_is_named_twice": "name the API to log in at once: gnomon login URL, or --api URL",
    "login_lacks_api": "name the API to log in at: gnomon login URL, or --api URL, or the variable {name}",
    "command_needs_home": "`{text}` works on a home of this machine and cannot use the API at {url}, which {source} names; run it on the machine of the deployment, or here without {source}",
    "command_needs_no_api": "`gnomon {name}` is about this program and not about a deployment: leave --api and --token out",
    "secret_is_not_given": "standard input has no line with the {name}; write it there, or give it as an argument",
    "terminal_cannot_redraw": "stdout is no terminal that can be redrawn; {hint}",
}
