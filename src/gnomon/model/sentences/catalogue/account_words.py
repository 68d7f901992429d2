"""Words about accounts, grants, sessions and tokens."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "grant_is_about_something_else": "a grant is about {name!r}; give dag or tag",
    "account_lacks_role_on_waiting_dags": "runs of DAGs on which your account has not the role {role} waited for run {run!r}; clear it without --downstream-dags, or ask for that role on these DAGs",
    "account_lacks_role_on_marked_dags": "markers among these tasks name tasks of DAGs on which your account has not the role {role}; ask for that role on these DAGs",
    "role_cannot_be_lowered": "its role cannot be lowered",
    "it_cannot_be_deleted": "it cannot be deleted",
    "account_name_is_invalid": "{name!r} cannot be the name of an account: write 1 to 100 letters, digits, and . _ - + @",
    "account_name_is_ambiguous": "{name} cannot be the name of a new account, because {fault}: choose a name that cannot be read as another one",
    "account_exists": "an account {name!r} exists already; `{command}` changes its role, `{other_command}` its password",
    "account_does_not_exist": "there is no account {name!r}; {hint}",
    "grant_pattern_is_invalid": "{pattern!r} cannot be a pattern: write 1 to 250 characters, with * and ? for any others",
    "grant_role_is_none": "a grant can only add to the role of its account, so its role cannot be none; `{command}` removes a grant",
    "grant_role_is_admin": "admin is no role for single DAGs: accounts belong to no DAG; grant viewer, user or operator",
    "account_has_no_grant": "account {name!r} has no grant --{grant_kind} {pattern}; its grants: {names}",
    "account_is_only_admin": "{name!r} is the only account with the role admin, so {why}; create another one first",
    "account_was_changed": "account {name!r} was changed or deleted meanwhile, and no token was created; try again",
    "token_needs_name": "give the token a name of 1 to 100 characters that says what uses it",
    "token_role_is_none": "a token with the role none would permit nothing; give viewer, user, operator or admin",
    "token_role_is_too_high": "account {name!r} has the role {role}, so its tokens cannot have the role {other_role}",
    "token_lifetime_is_out_of_range": "a token cannot be valid for {duration}; give a time of at most {most} days, or none",
    "account_has_all_tokens": "account {name!r} has {most} valid tokens, and cannot have more; revoke those that nothing uses",
    "token_does_not_exist": "there is no token {name!r}; {hint}",
    "token_was_revoked": "token {name} was revoked before, at {at}",
    "password_is_too_short": "the password has {length} characters; give one with at least {least}",
    "password_is_too_long": "the password has {length} characters; give one with at most {most}",
    "password_is_account_name": "the password is the name of the account; give another one",
    "account_was_deleted": "account {name!r} was deleted; log in with another account",
    "account_has_all_views": "account {name!r} has {most} views, and cannot have more; delete those that you do not open",
}
