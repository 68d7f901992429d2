"""What an account may do, for a client that offers nothing else."""

from __future__ import annotations

from gnomon.api.access.required_roles import OF_DAGS, find_required_role
from gnomon.api.policies import ApiResource, Permission
from gnomon.model.accounts import Identity


def list_allowed_acts(identity: Identity) -> list[str]:
    """Each permission with its resource, `edit pool`, that the identity has; what is of DAGs if it has it on some DAGs."""
    on_some = min(max((identity.role, *(grant.role for grant in identity.grants))), identity.ceiling)
    return [
        f"{permission.value} {resource.value}"
        for resource in ApiResource
        for permission in Permission
        if (on_some if resource in OF_DAGS else identity.everywhere) >= find_required_role(permission, resource)
    ]
