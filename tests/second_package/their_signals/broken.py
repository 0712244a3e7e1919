"""What needs something that is not installed."""

import no_such_module  # noqa: F401
