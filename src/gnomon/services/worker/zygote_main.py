"""`python -m gnomon.services.worker.zygote_main`: starts the base zygote, with the memory for what it imports in one piece."""

from __future__ import annotations

from gnomon.author_code.processes.large_pages import reserve_heap

_HEAP_BYTES = 14 << 20
"""What the base zygote holds of small objects."""


def main() -> None:
    """As `base_zygote.main`."""
    reserve_heap(_HEAP_BYTES)
    from gnomon.services.worker import base_zygote  # the imports fill what is reserved

    base_zygote.main()


if __name__ == "__main__":
    main()
