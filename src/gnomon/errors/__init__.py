"""Errors: `authoring` for DAG files and tasks (the dialect's names), `product` for commands and services."""

from gnomon.errors.product import ConfigurationError, GnomonError, InternalError, ResourceUnavailable, UserError

__all__ = ["ConfigurationError", "GnomonError", "InternalError", "ResourceUnavailable", "UserError"]
