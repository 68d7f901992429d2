"""Words that refuse values: numbers, times, texts, pools, Variables."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "text_cannot_be_stored": "{subject_text} cannot be stored: its {name} contains {fault}; leave it out",
    "pool_has_too_many_slots": "a pool has at most {most} slots; -1 is no limit",
    "extra_is_no_json": "the extra is not JSON: {fault}",
    "time_is_out_of_range": "{text} is out of range; choose a time in the years {least} to {most}",
    "name_is_uri_of_asset": "{uri!r} is the URI of an asset; the state of an asset is kept under its name: `{command}` tells it",
    "asset_keeps_nothing": "nothing is kept of asset {asset!r} under {key!r}; `{command}` lists all keys",
    "number_of_runs_is_out_of_range": "give a number of runs from 1 to {most}",
    "instant_is_outside_years": "{number} is no instant in the years 1 to 9999; give microseconds since 1970-01-01T00:00Z",
    "limit_is_too_low": "the limit is {number}; give a number from 1 on",
    "pool_cannot_have_slots": "pool {name!r} cannot have {number} slots; give a number from 0 on, or -1 for no limit",
    "value_is_no_json": "VALUE is not JSON: {text!r}; write text as '\"text\"', a number as 5, a list as '[1, 2]'",
    "limit_is_out_of_range": "the limit is {number}; it is a number from 1 to {most}",
    "instant_is_out_of_range": "{number} is out of range; an instant is in microseconds since 1970, in the years 1900 to 9000",
    "variable_holds_secret": "Variable {name!r} has a secret by its name or its content, and the API gives no secrets; read it with `{command}` on the machine of the deployment",
    "variables_exist": "these Variables exist, so nothing was imported: {names}",
    "given_value_is_no_json": "the value is not valid JSON: {error}",
    "api_shows_no_secrets": "the API gives no secrets; --show-secrets shows them on the machine of the deployment",
    "zone_is_no_offset": "Time zone {zone!r} is no offset; write it as '+01:00', or an IANA name.",
    "default_timezone_is_wrong": "Option [core] default_timezone: {error}",
    "zone_is_not_known": "Time zone {zone!r} is not known{hint} Use an IANA name such as 'Europe/Zurich', or 'UTC'.",
    "pattern_is_no_expression": "mark_success_pattern={pattern} is not a regular expression: {error}",
    "text_is_no_date": "{text} is not a date; write it like 2026-03-01T06:00:00+00:00",
    "date_is_needed": "a date is needed, not {text}",
    "request_is_refused": "refused: {reason}",
    "state_value_is_too_large": "the value takes {length} bytes, more than [state_store] max_value_storage_bytes={most}: nothing was stored",
    "instance_keeps_nothing": "the task instance keeps nothing under {key!r}",
    "masked_value_was_changed": "{subject_text}: {place} has {text}, as answers show secrets, and was changed: which secret it stands for cannot be told, and {text} would be stored in its place; write the secret itself, or leave this part as it was shown",
}
