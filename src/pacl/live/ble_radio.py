"""The Bluetooth radio, through bleak, with its errors in plain words."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pacl.live.errors import LiveError
from pacl.printable import printable

HEART_RATE_SERVICE = "0000180d-0000-1000-8000-00805f9b34fb"
HEART_RATE_MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
BATTERY_LEVEL = "00002a19-0000-1000-8000-00805f9b34fb"
CONNECT_S = 20.0

_NO_RADIO = (
    "this computer has no Bluetooth, or no program that drives it; plug in an adapter, on Linux "
    "install and start BlueZ (systemctl start bluetooth), or listen to what another program "
    "writes, with --follow FILE or -"
)
_REASONS = {
    "NO_BLUETOOTH": _NO_RADIO,
    "NO_BLE_CENTRAL_ROLE": "the Bluetooth adapter is too old for straps (it needs Bluetooth 4.0 "
    "Low Energy); plug in another adapter",
    "POWERED_OFF": "Bluetooth is off; switch it on (on Linux: bluetoothctl power on)",
    "DENIED_BY_USER": "Bluetooth is not permitted; allow it for your terminal in the system "
    "settings, under privacy",
    "DENIED_BY_SYSTEM": "Bluetooth is not permitted here; ask whoever manages this computer, on "
    "Linux add yourself to the group bluetooth",
}


@dataclass(frozen=True, slots=True)
class Strap:
    """A device that was found, with its signal strength; `device` is what bleak knows it by."""

    address: str
    name: str
    signal_dbm: int
    has_service: bool
    device: Any = None

    def __str__(self) -> str:
        return f"{printable(self.name or 'no name')} ({self.address}, {self.signal_dbm} dBm)"

    def is_named(self, wanted: str) -> bool:
        """Whether it has this address, or this text in its name."""
        wanted = wanted.strip().lower()
        return wanted == self.address.lower() or (bool(wanted) and wanted in self.name.lower())


class BleakRadio:
    """Finds devices and connects to them.

    Parameters
    ----------
    scanner, client
        `bleak.BleakScanner` and `bleak.BleakClient`, or others like them for tests.
    """

    def __init__(self, scanner: Any = None, client: Any = None) -> None:
        if scanner is None or client is None:
            import bleak

            scanner, client = scanner or bleak.BleakScanner, client or bleak.BleakClient
        self._scanner, self._client = scanner, client

    async def straps(self, seconds: float) -> list[Strap]:
        """All devices in reach, the nearest first."""
        with in_plain_words("looking for straps"):
            found = await self._scanner.discover(timeout=seconds, return_adv=True)
        straps = [
            Strap(
                address=device.address,
                name=told.local_name or device.name or "",
                signal_dbm=int(told.rssi),
                has_service=HEART_RATE_SERVICE in [one.lower() for one in told.service_uuids],
                device=device,
            )
            for device, told in found.values()
        ]
        return sorted(straps, key=lambda one: -one.signal_dbm)

    def client(self, strap: Strap, on_gone: Callable[[], None]) -> Any:
        """A connection to a strap, to be entered; `on_gone` is called when it breaks."""
        return self._client(
            strap.device, disconnected_callback=lambda _: on_gone(), timeout=CONNECT_S
        )


@contextmanager
def in_plain_words(doing: str) -> Iterator[None]:
    """Turn errors of the radio into a `LiveError` that says what to do."""
    try:
        yield
    except (LiveError, ImportError):
        raise
    except Exception as error:
        raise LiveError(f"{doing}: {_explained(error)}") from error


def _explained(error: Exception) -> str:
    reason = getattr(getattr(error, "reason", None), "name", "")
    if reason in _REASONS:
        return _REASONS[reason]
    text = printable(str(error) or type(error).__name__)
    if isinstance(error, FileNotFoundError | ConnectionRefusedError) or "ServiceUnknown" in text:
        return f"{_NO_RADIO} ({text})"
    if isinstance(error, PermissionError) or "AccessDenied" in text or "NotAuthorized" in text:
        return f"{_REASONS['DENIED_BY_SYSTEM']} ({text})"
    if "NotReady" in text or "turned off" in text:
        return f"{_REASONS['POWERED_OFF']} ({text})"
    if isinstance(error, TimeoutError):
        return "no answer; bring the strap closer, and end other apps that are connected to it"
    return f"{text}; switch Bluetooth off and on again, and wear the strap"
