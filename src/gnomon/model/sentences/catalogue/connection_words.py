"""Words about connections and secrets backends."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "api_gives_no_secrets": "the API gives no secrets; `{command}` shows them on the machine of the deployment",
    "connection_exists": "there is a connection {name!r} already; change it with `{command}`, or delete it first",
    "connection_id_is_invalid": "{name!r} cannot be the id of a connection: use letters, digits and # ! ( ) - . : / \\ _, at most 250 of them",
    "connection_has_no_field": "a connection has no field {names}; its fields: {options}",
    "connection_has_no_type": "connection {name!r} has no type; give --conn-type, such as postgres, http or generic, or a URI that begins with one",
    "connection_extra_is_no_json": "connection {name!r}: extra is no JSON ({place}); give an object, such as --conn-extra '{{\"timeout\": 5}}'",
    "connection_extra_is_nested": "connection {name!r}: extra is nested too deeply",
    "backend_fails": "{option} ({source}): the backend {name} {why}. The environment and the database are asked instead.",
    "backend_raised": "raised {error}",
    "backend_cannot_be_used": "cannot be used: {error}; install its package, or correct the option or {option}",
    "backend_cannot_be_made": "cannot be made: {error}; correct {option}",
    "backend_did_not_answer": "has not answered within {duration} ([secrets] backend_timeout)",
    "variable_has_several_lines": "the value of the Variable {name!r} has several lines, which an .env file cannot hold; export to a .json or .yaml file",
    "no_secrets_backend": "no secrets backend is configured; set [secrets] backend",
    "backend_arguments_are_no_json": '{option} ({source}) is not JSON ({error}); write an object, such as {{"url": "http://..."}}. The backend is not asked',
    "backend_arguments_are_no_object": "{option} ({source}) must be a JSON object, not a {thing}. The backend is not asked",
    "connection_failed_test": "connection {name} failed its test: {error}",
    "connection_is_wrong": "{error}",
}
