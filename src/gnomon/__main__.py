"""`python -m gnomon` is `gnomon`."""

from __future__ import annotations

import sys

from gnomon.entry.cli.main import main

sys.exit(main())
