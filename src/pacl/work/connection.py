"""The connection to the scheduler of a Dask cluster."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacl.errors import PaclError

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S = 10.0
"""Time for one attempt to reach the scheduler."""


class ClusterError(PaclError):
    """A cluster that cannot be used; names its address, and says what to do."""

    def __init__(self, address: str, what: str, remedy: str) -> None:
        super().__init__(f"--scheduler {address}: {what}; {remedy}")


def connect(address: str) -> "Client":
    """Reach the scheduler at an address, or of a file that it wrote."""
    from distributed import Client

    given: dict[str, Any] = {"address": address}
    if "://" not in address and address.endswith(".json"):
        if not Path(address).exists():  # Dask would wait for it without end
            raise ClusterError(address, "there is no such file", "check the path of the file")
        given = {"scheduler_file": address}
    try:
        with quiet():
            return Client(**given, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ClusterError(
            address, f"cannot be reached ({reason})", "check the address, and that it runs"
        ) from error


def lost() -> tuple[type[BaseException], ...]:
    """Errors of a scheduler that is gone."""
    from concurrent.futures import CancelledError as Cancelled

    from distributed import CancelledError

    return (CancelledError, Cancelled, OSError, TimeoutError)


def disconnect(client: "Client") -> None:
    """Leave the cluster, which goes on."""
    with quiet():
        client.close(timeout=CONNECT_S)


@contextmanager
def quiet() -> Iterator[None]:
    """Leave out Dask's own words about lost connections: ours follow."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
