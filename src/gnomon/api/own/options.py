"""The options of this api-server: value, default, where each is set, and why one does not act."""

from __future__ import annotations

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.reader_language import word
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.ground.config.secrets import mask_secret

router = OperationRouter(prefix="/options", tags=["Config"])


class OptionAnswer(Answer):
    """A declared option."""

    section: str
    name: str
    value: str
    """Secrets masked."""
    default: str
    source: str
    """default, or the variable of the environment, or the file and line that sets it."""
    description: str
    acts: bool
    """False: the option is accepted and does nothing; its description is the reason."""


class UndeclaredOptionAnswer(Answer):
    """An option of the environment that Gnomon does not know; only author code can read it."""

    option: str
    source: str
    reason: str
    """Why Gnomon does not read it, and the option that may be meant."""


class OptionsAnswer(Answer):
    """All options, in the order of the reference."""

    options: list[OptionAnswer]
    undeclared: list[UndeclaredOptionAnswer]


@router.get("", dependencies=[requires(Permission.READ, ApiResource.CONFIGURATION)])
def get_options(context: Context) -> OptionsAnswer:
    """Every option with its source, as `gnomon config list` and `gnomon config lint` show them."""
    options = [
        OptionAnswer(
            section=setting.option.section,
            name=setting.option.name,
            value=setting.shown,
            default=mask_secret(setting.option, setting.option.default),
            source=setting.source,
            description=word(setting.option.description),
            acts=setting.option.is_used,
        )
        for setting in context.cfg.settings()
    ]
    undeclared = [
        UndeclaredOptionAnswer(option=undeclared.option, source=undeclared.source, reason=word(undeclared.reason))
        for undeclared in context.cfg.undeclared_options()
    ]
    return OptionsAnswer(options=options, undeclared=undeclared)
