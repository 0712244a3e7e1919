"""Who may ask `pacl view`, and what browsers may do with its answers."""

import json
import socket

import pytest

from pacl.errors import PaclError
from pacl.view import ViewServer
from pacl.view.guard import HEADERS, Guard, is_loopback
from support.viewing import served, write_night


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(write_night(tmp_path_factory.mktemp("guard") / "night.csv")) as found:
        yield found


@pytest.fixture
def mark(server):
    return json.dumps({"kind": "af", "start_s": 1, "end_s": 40}).encode()


def log_of(server):
    return server.values(server.below("night", "view"))["edits"]


def test_the_secret_is_needed(server):
    inside = server.below("night")
    assert server.ask(inside)[0] == 200
    for path in (
        "/",
        f"/{inside}",
        f"/{inside}view",
        f"/wrong/{inside}",
        f"{server.base[:-2]}/{inside}",
        f"{server.base[:-1]}x/{inside}",
        f"{server.base.upper()}{inside}",
        server.base[:-1],
        f"//{server.base}{inside}",
        "/%00/",
        "/%c3%a9%ff/",
        "/assets/page.css",
        "/favicon.ico",
    ):
        assert server.ask(path, whole=True)[0] == 403, path


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "evil.example:80@127.0.0.1:{port}",
        "192.168.1.20:{port}",
        "[::1]:{port}1",
        "",
        None,
    ],
)
def test_other_hosts_are_refused_even_with_the_secret(server, host):
    named = host and host.format(port=server.port)
    status, _, content = server.ask(headers={"Host": named})
    assert status in (400, 403)
    assert b"recording" not in content.lower()


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_names_of_this_machine_are_answered(server, name):
    assert server.ask(headers={"Host": f"{name}:{server.port}"})[0] == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost:{port}"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": None, "Sec-Fetch-Site": "same-origin"},
        {"Origin": None, "Referer": "http://127.0.0.1:{port}/"},
    ],
)
def test_only_the_page_itself_may_mark(server, mark, headers):
    own = {"Origin": f"http://127.0.0.1:{server.port}", "Content-Type": "application/json"}
    given = {name: value and value.format(port=server.port) for name, value in headers.items()}
    assert server.ask(server.below("night", "edits"), "POST", mark, own | given)[0] == 403
    assert log_of(server) == []


def test_pages_of_other_origins_cannot_read(server):
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        assert server.ask(server.below("night", "view"), headers=headers)[0] == 403


def test_two_hosts_are_refused(server):
    ask = f"GET {server.base} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: evil.example\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
        connection.sendall(f"{ask}Connection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.split()[1] in (b"400", b"403")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST", "LINK"])
def test_other_methods_are_refused(server, method):
    own = {"Origin": f"http://127.0.0.1:{server.port}", "Content-Type": "application/json"}
    assert server.ask(server.below("night"), method, b"{}", own)[0] == 405
    assert server.ask(server.below("night", "view"), method, b"{}")[0] == 403
    if method != "POST":
        assert server.ask(server.below("night", "edits"), method, b"{}", own)[0] == 405


def test_every_answer_has_the_policy(server, mark):
    asked = [
        server.ask(path)
        for path in (
            "",
            "assets/recording.js",
            "assets/nothing.js",
            "api/index",
            "api/index?since=x",
            *(
                server.below("night", name)
                for name in (
                    *("", "beats", "view", "about", "revision", "ecg/0", "sheet", "edits.jsonl"),
                    *("person.json", "detection.json", "nothing"),
                )
            ),
        )
    ]
    asked.append(server.ask("/", whole=True))
    asked.append(server.ask(server.below("night", "edits"), "POST", mark))
    own = {"Origin": f"http://127.0.0.1:{server.port}"}
    asked.append(server.ask(server.below("night", "edits"), "POST", mark, own))
    asked.append(server.ask(server.below("night", "edits"), "PUT", mark, own))
    statuses = {status for status, _, _ in asked}
    assert {200, 303, 400, 403, 404, 405, 415} <= statuses
    for status, headers, _ in asked:
        assert HEADERS.items() <= headers.items(), status
        assert "server" not in headers
        assert "access-control-allow-origin" not in headers


def test_nothing_of_the_secret_is_told_to_other_pages():
    assert HEADERS["referrer-policy"] == "no-referrer"
    assert "unsafe" not in HEADERS["content-security-policy"]
    assert "http" not in HEADERS["content-security-policy"]
    assert HEADERS["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_this_machine_alone_reaches_a_loopback_address(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org", "", "127.1.evil"])
def test_others_reach_all_other_addresses(host):
    assert not is_loopback(host)


def test_the_network_may_ask_by_address_or_by_the_name_of_the_machine_if_that_is_meant():
    async def app(*_):
        raise AssertionError

    closed, opened = (Guard(app, "secret", 80, open_to_network=one) for one in (False, True))
    for host in ("192.168.0.7:80", "[fe80::1]:80", f"{socket.gethostname()}:80"):
        assert not closed._is_ours(host)
        assert opened._is_ours(host)
    for host in ("evil.example:80", "192.168.0.7.evil.example:80", "192.168.0.7:81"):
        assert not opened._is_ours(host)
    for one in (closed, opened):
        assert all(map(one._is_ours, ("127.0.0.1:80", "127.0.0.2:80", "localhost:80", "[::1]:80")))


def test_a_port_that_is_in_use_is_named_with_the_remedy(server):
    with pytest.raises(PaclError, match=rf"--port {server.port}.*leave out --port"):
        ViewServer(lambda *_: None, port=server.port)


def test_a_host_that_is_not_there_is_named():
    with pytest.raises(PaclError, match=r"--host 203\.0\.113\.7"):
        ViewServer(lambda *_: None, "203.0.113.7", open_to_network=True)
