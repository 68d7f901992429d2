"""Branching: a task that chooses which of its direct downstream tasks run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gnomon.sdk.operator import BaseOperator
from gnomon.sdk.skip import SkipMixin, expand_groups

__all__ = ["BaseBranchOperator", "BranchMixIn", "SkipMixin"]


class BranchMixIn(SkipMixin):
    """Can follow some of its downstream tasks and skip the others."""

    def do_branch(self, context: Any, branches_to_execute: str | Iterable[str] | None) -> Any:
        """Direct downstream tasks that were not chosen and do not come after a chosen one are skipped."""
        task: Any = self
        self.skip_all_except(context["ti"], expand_groups(task.dag, branches_to_execute))
        return branches_to_execute


class BaseBranchOperator(BaseOperator, BranchMixIn):
    """A branch: write `choose_branch(context)`."""

    inherits_from_skipmixin = True

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        """The id of the task (or group) to follow, a list of them, or None for none."""
        raise NotImplementedError(f"{self.task_type} (task {self.task_id!r}) has no choose_branch().")

    def execute(self, context: Any) -> Any:
        return self.do_branch(context, self.choose_branch(context))
