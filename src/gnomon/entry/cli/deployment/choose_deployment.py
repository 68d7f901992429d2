"""`pass_deployment`: gives a command the deployment that its command line names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from gnomon.entry.cli.deployment.api_target import ApiTarget, api_options, find_given_token, find_target
from gnomon.entry.cli.deployment.home import Home

if TYPE_CHECKING:
    from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess

F = TypeVar("F", bound=Callable[..., Any])
WORKS_OVER_API = "works_over_api"
"""The attribute of a command's function that says so, for the documentation."""


def pass_deployment(command: F) -> F:
    """Call the command with its deployment as first argument, which is closed at the end; adds `--api` and `--token`."""

    @functools.wraps(command)
    @click.pass_context
    def run(context: click.Context, *args: Any, **kwargs: Any) -> Any:
        deployment = choose_deployment(context)
        try:
            return context.invoke(command, deployment, *args, **kwargs)
        finally:
            deployment.close()

    setattr(run, WORKS_OVER_API, True)
    return cast(F, api_options(run, hidden=True))


def choose_deployment(context: click.Context) -> DeploymentAccess:
    """The home's store, or the API that the command line or the environment names. Raises UserError for an address that is none."""
    home = context.ensure_object(Home)
    target = find_target(context)
    if target is None:
        from gnomon.entry.cli.deployment.home_deployment import (
            HomeDeployment,  # start-up cost: one of the two is needed
        )

        return HomeDeployment(home)
    return _open_api(context, home, target)


def _open_api(context: click.Context, home: Home, target: ApiTarget) -> DeploymentAccess:
    from gnomon.entry.cli.deployment.api_client import ApiClient, check_address  # start-up cost: http, ssl
    from gnomon.entry.cli.deployment.api_deployment import ApiDeployment
    from gnomon.entry.cli.deployment.login_file import find_login_file, read_login

    url = check_address(target.url)
    token, source = find_given_token(context)
    if token is None:
        login = read_login(url)
        if login is not None:
            token, source = login.token, f"`gnomon login` in {find_login_file()}"
    return ApiDeployment(home, ApiClient(url, token, source, home.sleep))
