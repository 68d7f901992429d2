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
}
