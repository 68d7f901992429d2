"""Opening a context by hand, as tests of operators do."""

from gnomon.sdk.current import running as set_current_context

__all__ = ["set_current_context"]
