"""A strap without radio: discovery, packets, breaks, and messages about Bluetooth."""

import pytest
from bleak.exc import (
    BleakBluetoothNotAvailableError,
    BleakBluetoothNotAvailableReason,
    BleakCharacteristicNotFoundError,
    BleakDBusError,
    BleakError,
)

from pacl.live import (
    BleakRadio,
    Connected,
    Disconnected,
    LeftOut,
    LiveError,
    Noted,
    Packet,
    StrapTransport,
    Waiting,
    choose_strap,
    find_straps,
)
from support.refusals import refused
from support.straps import FakeClients, FakeScanner, beats, device


def listened(transport, packets):
    """Events until so many packets came."""
    found = []
    for event in transport.events():
        if not isinstance(event, Waiting | Noted):
            found.append(event)
        assert len(found) < 50, found
        if sum(isinstance(one, Packet) for one in found) == packets:
            break
    transport.close()
    return found


def strap(clients, *scans, wanted=None, error=None, silent_s=5.0):
    scanner = FakeScanner(*(scans or [[device()]]), error=error)
    radio = BleakRadio(scanner, clients)
    return StrapTransport(wanted, radio, scan_s=0.0, backoff_s=(0.0, 0.01), silent_s=silent_s)


class Headphones:
    """A client that connects, and has no heart rate."""

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        pass

    async def read_gatt_char(self, characteristic):
        raise BleakCharacteristicNotFoundError(characteristic)

    async def start_notify(self, characteristic, take):
        raise BleakCharacteristicNotFoundError(characteristic)


def test_packets_come_with_their_time_and_the_battery():
    clients = FakeClients([beats(800), beats(790, 810)])
    events = listened(strap(clients), 2)
    assert events[0] == Connected("Polar H10", 80)
    assert [len(one.rr_ms) for one in events[1:]] == [1, 2]
    assert all(one.at_s > 1.7e9 and one.contact for one in events[1:])
    assert clients.open == 0


def test_a_strap_that_is_lost_is_connected_again():
    clients = FakeClients(
        [beats(800)], [beats(790)], fails=[None, BleakError("busy")], battery=None
    )
    events = listened(strap(clients, [device()], [], [device()]), 2)
    kinds = [type(one) for one in events]
    assert kinds[:3] == [Connected, Packet, Disconnected]
    assert kinds[-2:] == [Connected, Packet]
    assert kinds.count(Disconnected) == 3  # out of reach, not found, busy
    assert any("busy" in one.why for one in events if isinstance(one, Disconnected))
    assert events[0].battery_percent is None


def test_a_connection_without_packets_is_made_again():
    clients = FakeClients(None, [beats(800)])
    events = listened(strap(clients, silent_s=0.05), 1)
    assert [type(one) for one in events] == [Connected, Disconnected, Connected, Packet]
    assert "nothing came" in events[1].why


def test_an_odd_packet_is_left_out():
    events = listened(strap(FakeClients([b"\x10", beats(800)])), 1)
    assert [type(one) for one in events] == [Connected, LeftOut, Packet]


def test_after_a_break_the_same_strap_is_looked_for():
    other = device("Polar H9", "CC:DD", -30)
    clients = FakeClients([beats(800)], [beats(790)])
    events = listened(strap(clients, [device()], [other, device()]), 2)
    assert [one.name for one in events if isinstance(one, Connected)] == ["Polar H10"] * 2


@pytest.mark.parametrize("wanted", ["aa:bb", "h10", "Polar H10"])
def test_a_strap_is_chosen_by_name_or_address(wanted):
    found = _found(device(), device("Garmin", "CC:DD"), device("H10 case", "EE", services=()))
    assert choose_strap(found, wanted).address == "AA:BB"


def test_a_strap_that_does_not_advertise_its_service_is_found_by_name():
    assert choose_strap(_found(device("Coospo", "CC", services=())), "coospo").address == "CC"


def test_several_straps_are_listed():
    with refused(LiveError, "Polar H10 (AA:BB", "Garmin (CC:DD", "--device"):
        choose_strap(_found(device(), device("Garmin", "CC:DD", -80)), None)


@pytest.mark.parametrize("wanted", [None, "Wahoo"])
def test_no_strap_is_an_error_that_says_what_to_do(wanted):
    with refused(LiveError, "found", "wet"):
        choose_strap(_found(device("television", "EE", services=())), wanted)


def test_a_strap_that_is_never_found_ends_with_an_error():
    with refused(LiveError, "no heart rate strap"):
        listened(strap(FakeClients(), []), 1)


def test_a_device_without_the_heart_rate_service_ends_with_an_error():
    """It fits the name, and would otherwise be tried for ever."""
    transport = strap(
        lambda *_, **__: Headphones(), [device("JBL", "EE", services=())], wanted="JBL"
    )
    with refused(LiveError, "JBL", "no heart rate service", "--device"):
        for event in transport.events():
            assert not isinstance(event, Connected | Disconnected)
    transport.close()


def test_straps_are_listed_the_nearest_first():
    scanner = FakeScanner(
        [device("far", "1", -90), device("near", "2"), device("tv", "3", services=())]
    )
    assert [one.name for one in find_straps(BleakRadio(scanner, FakeClients()), 0.0)] == [
        "near",
        "far",
    ]


@pytest.mark.parametrize(
    ("error", "facts"),
    [
        (FileNotFoundError(2, "No such file"), ("no Bluetooth", "BlueZ", "--follow")),
        (BleakBluetoothNotAvailableReason.NO_BLUETOOTH, ("no Bluetooth", "adapter")),
        (BleakBluetoothNotAvailableReason.POWERED_OFF, ("is off", "switch it on")),
        (BleakBluetoothNotAvailableReason.DENIED_BY_USER, ("not permitted", "settings")),
        (BleakBluetoothNotAvailableReason.DENIED_BY_SYSTEM, ("not permitted", "group")),
        (BleakBluetoothNotAvailableReason.NO_BLE_CENTRAL_ROLE, ("Low Energy",)),
        (BleakBluetoothNotAvailableReason.UNKNOWN, ("off and on",)),
        (BleakDBusError("org.freedesktop.DBus.Error.ServiceUnknown", ["bluez"]), ("no Bluetooth",)),
        (BleakDBusError("org.freedesktop.DBus.Error.AccessDenied", ["no"]), ("not permitted",)),
        (BleakDBusError("org.bluez.Error.NotReady", ["not ready"]), ("is off",)),
        (TimeoutError(), ("no answer",)),
        (BleakError("odd\x1b[2J"), ("odd\\x1b", "off and on")),
    ],
)
def test_errors_of_the_radio_say_what_to_do(error, facts):
    if isinstance(error, BleakBluetoothNotAvailableReason):
        error = BleakBluetoothNotAvailableError("no", error)
    with refused(LiveError, *facts):
        listened(strap(FakeClients(), error=error), 1)


def _found(*devices):
    import asyncio

    return asyncio.run(BleakRadio(FakeScanner(list(devices)), FakeClients()).straps(0.0))
