"""Product errors: what a command or service says to the person in front of it.

The class says whose fault it is. Each carries one or two sentences: the thing, the place, the remedy.
"""

from __future__ import annotations


class GnomonError(Exception):
    """Base of the errors that Gnomon words itself; printed without a traceback."""


class UserMistake(GnomonError):
    """Something that was asked cannot be done as asked: the message says what to change (exit code 1)."""


class OperatorMistake(UserMistake):
    """An option, a file right or the set-up of the machine stands in the way: the message names it."""


class WorldAway(GnomonError):
    """Something outside is not reachable now (database, network, disk): it may work again later."""


class OurBug(GnomonError):
    """An invariant of Gnomon does not hold. Nobody but us can mend it; the message says what to report."""
