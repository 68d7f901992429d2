"""Words about accounts, grants, sessions and tokens."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "grant_is_about_something_else": "a grant is about {name!r}; give dag or tag",
    "account_lacks_role_on_waiting_dags": "runs of DAGs on which your account has not the role {role} waited for run {run!r}; clear it without --downstream-dags, or ask for that role on these DAGs",
    "account_lacks_role_on_marked_dags": "markers among these tasks name tasks of DAGs on which your account has not the role {role}; ask for that role on these DAGs",
}
