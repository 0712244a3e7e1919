"""A Bluetooth radio without radio: scanners and clients as bleak has them."""

import asyncio
from types import SimpleNamespace

from pacl.live.ble_radio import HEART_RATE_SERVICE
from pacl.live.heart_rate import make_heart_rate


def device(name="Polar H10", address="AA:BB", rssi=-60, services=(HEART_RATE_SERVICE,)):
    told = SimpleNamespace(local_name=name, rssi=rssi, service_uuids=list(services))
    return SimpleNamespace(address=address, name=name), told


class FakeScanner:
    """Finds what it is given: one list of devices for each scan, the last one again and again."""

    def __init__(self, *scans, error=None):
        self.scans, self.error = list(scans), error

    async def discover(self, timeout, *, return_adv):
        assert return_adv
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        found = self.scans.pop(0) if len(self.scans) > 1 else self.scans[0]
        return {one.address: (one, told) for one, told in found}


class FakeClients:
    """Makes clients; each sends the packets of its session, and then breaks off."""

    def __init__(self, *sessions, battery=80, fails=()):
        self.sessions, self.battery, self.fails = list(sessions), battery, list(fails)
        self.open = 0

    def __call__(self, device, *, disconnected_callback, timeout):
        return _Client(self, disconnected_callback)


class _Client:
    def __init__(self, home, on_gone):
        self.home, self.on_gone = home, on_gone

    async def __aenter__(self):
        if self.home.fails:
            error = self.home.fails.pop(0)
            if error is not None:
                raise error
        self.home.open += 1
        return self

    async def __aexit__(self, *error):
        self.home.open -= 1

    async def read_gatt_char(self, characteristic):
        if self.home.battery is None:
            raise KeyError(characteristic)
        return bytearray([self.home.battery])

    async def start_notify(self, characteristic, take):
        packets = self.home.sessions.pop(0) if self.home.sessions else None
        for packet in packets or ():
            take(None, bytearray(packet))
        if packets is not None:
            asyncio.get_running_loop().call_later(0.01, self.on_gone, self)


def beats(*rr_ms):
    return make_heart_rate([float(one) for one in rr_ms])
