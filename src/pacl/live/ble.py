"""A heart rate strap over Bluetooth: found, connected, and connected again when it was lost."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pacl.live.ble_radio import (
    BATTERY_LEVEL,
    HEART_RATE_MEASUREMENT,
    BleakRadio,
    Strap,
    in_plain_words,
)
from pacl.live.errors import LiveError
from pacl.live.heart_rate import parse_heart_rate
from pacl.live.pump import Pump, Put
from pacl.live.transport import TICK_S, Connected, Disconnected, Event, LeftOut, Noted, Packet
from pacl.records import FormatError

SCAN_S = 8.0
SILENT_S = 20.0
"""A connection on which nothing comes for so long is given up, and made again."""
BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Waits before trying again; the last one is repeated."""
_BATTERY_S = 5.0
_CLOSE_S = 3.0


def find_straps(radio: BleakRadio, seconds: float = SCAN_S) -> list[Strap]:
    """Heart rate straps in reach, the nearest first."""
    return [one for one in asyncio.run(radio.straps(seconds)) if one.has_service]


def choose_strap(found: Sequence[Strap], wanted: str | None) -> Strap:
    """The strap that is wanted, or the only one; otherwise an error that lists what there is."""
    if wanted is not None:
        named = [one for one in found if one.is_named(wanted)]
        fitting = [one for one in named if one.has_service] or named
    else:
        fitting = [one for one in found if one.has_service]
    if len(fitting) == 1:
        return fitting[0]
    listed = "; ".join(map(str, fitting or [one for one in found if one.has_service]))
    if fitting:
        raise LiveError(
            f"{len(fitting)} straps are in reach: {listed}; choose one with --device and its "
            "name or address"
        )
    what = "no heart rate strap" if wanted is None else f"no strap named {wanted!r}"
    others = f" (in reach: {listed})" if listed else ""
    raise LiveError(
        f"{what} was found{others}; wear it with wet electrodes, bring it close, and end other "
        "apps and watches that are connected to it: most straps talk to one or two at a time"
    )


class StrapTransport:
    """A strap with the standard Heart Rate service.

    When the connection breaks it is made again, for as long as it takes. The first time, a strap
    that is not found is an error, and so is a device that sends no heart rate.

    Parameters
    ----------
    device
        Part of the strap's name, or its address; None takes the only one in reach.
    radio
        Bluetooth, or something like it for tests.
    scan_s, backoff_s
        How long to look for it, and how long to wait before trying again.
    now
        Unix time, for tests.
    """

    reorders_s = 0.0

    def __init__(
        self,
        device: str | None = None,
        radio: Any = None,
        *,
        scan_s: float = SCAN_S,
        backoff_s: Sequence[float] = BACKOFF_S,
        silent_s: float = SILENT_S,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.name = device or "strap"
        self._wanted, self._scan_s, self._backoff_s = device, scan_s, backoff_s
        self._silent_s, self._now = silent_s, now
        self._radio = radio if radio is not None else BleakRadio()
        self._strap: Strap | None = None
        self._tries = 0
        self._pump = Pump(self._run, "pacl strap")

    def events(self) -> Iterator[Event]:
        """Packets as they come."""
        return self._pump.events()

    def close(self) -> None:
        """Disconnect."""
        self._pump.close(wait_s=_CLOSE_S)

    def _run(self, put: Put) -> None:
        asyncio.run(self._until_closed(put))

    async def _until_closed(self, put: Put) -> None:
        """Listen in a task of its own, which is cancelled when this is closed."""
        listening = asyncio.create_task(self._listen(put))
        while not self._pump.closed.is_set():
            done, _ = await asyncio.wait({listening}, timeout=TICK_S)
            if done:
                await listening
                return
        listening.cancel()
        await asyncio.wait({listening}, timeout=_CLOSE_S)

    async def _listen(self, put: Put) -> None:
        named = f" named {self._wanted!r}" if self._wanted else ""
        put(Noted(f"looking for a heart rate strap{named}"))
        while True:
            try:
                strap = choose_strap(await self._radio.straps(self._scan_s), self._wanted)
                with in_plain_words(f"connecting to {strap}"):
                    why = await self._session(strap, put)
            except LiveError as error:
                if self._strap is None:
                    raise
                why = str(error)
            put(Disconnected(why))
            at = min(self._tries, len(self._backoff_s) - 1)
            self._tries += 1
            await asyncio.sleep(self._backoff_s[at])

    async def _session(self, strap: Strap, put: Put) -> str:
        """One connection, until it breaks; why it did."""
        gone = asyncio.Event()
        heard_s = time.monotonic()
        early: list[Event] = []  # what comes before it is known that this is a strap
        known = False

        def take(_: object, content: bytearray) -> None:
            nonlocal heard_s
            heard_s = time.monotonic()
            told = _told(bytes(content), self._now())
            if known:
                put(told)
            else:
                early.append(told)

        async with self._radio.client(strap, gone.set) as client:
            battery = await _battery(client)
            await _start(client, strap, take)
            self._strap, self.name = strap, strap.name or strap.address
            self._wanted = strap.address
            for event in (Connected(self.name, battery), *early):
                put(event)
            known = True
            self._tries = 0
            while not gone.is_set():
                if time.monotonic() - heard_s > self._silent_s:
                    return f"nothing came for {self._silent_s:g} s"
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(gone.wait(), TICK_S)
        return "out of reach, or switched off"


def _told(content: bytes, at_s: float) -> Event:
    try:
        return Packet.of(parse_heart_rate(content), at_s)
    except FormatError as error:
        return LeftOut(str(error))


async def _start(client: Any, strap: Strap, take: Callable[[object, bytearray], None]) -> None:
    """Ask for packets; a device that has none is no strap."""
    try:
        await client.start_notify(HEART_RATE_MEASUREMENT, take)
    except Exception as error:
        named = type(error).__name__ == "BleakCharacteristicNotFoundError"
        if not named and "was not found" not in str(error):
            raise
        raise LiveError(
            f"{strap}: this device has no heart rate service; choose another one with --device, "
            "pacl listen --scan lists the straps in reach"
        ) from error


async def _battery(client: Any) -> int | None:
    """The charge in percent, where the strap tells it."""
    try:
        async with asyncio.timeout(_BATTERY_S):
            content = await client.read_gatt_char(BATTERY_LEVEL)
    except Exception:  # whatever the radio says: a session does not need the charge
        return None
    return content[0] if content and content[0] <= 100 else None
