"""The live index in a browser: it follows a server, under a policy without inline code."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from pacl.report.index import RecordingRow, index_assets, live_index_page
from support.index_rows import row

LIVE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:"
)


class Live(ThreadingHTTPServer):
    """Serves the live page; `rows` are those of each revision."""

    def __init__(self):
        self.revisions, self.total, self.asked, self.down = [], 0, [], False
        self.more = {}
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, since):
        changed = {}
        for revision in self.revisions[since:]:
            changed |= {one.key: one.to_dict() for one in revision}
        latest = {one.key: one for revision in self.revisions for one in revision}
        ready = sum(one.status == "ready" for one in latest.values())
        return {
            "revision": len(self.revisions),
            "total": self.total,
            "ready": ready,
            "rows": list(changed.values()),
            **self.more,
        }


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urlsplit(self.path)
        name = parts.path.removeprefix("/assets/")
        if parts.path == "/":
            kind, content = "text/html", live_index_page("Live")
        elif parts.path == "/api/index" and not self.server.down:
            since = int(parse_qs(parts.query)["since"][0])
            self.server.asked.append(since)
            kind, content = "application/json", json.dumps(self.server.answer(since))
        elif name in index_assets():
            kind = "text/css" if name.endswith(".css") else "text/javascript"
            content = index_assets()[name]
        else:
            self.send_error(503)
            return
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Security-Policy", LIVE_POLICY)
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def live():
    server = Live()
    yield server
    server.shutdown()
    server.server_close()


def test_the_live_page_follows_the_server(live, page):
    waiting = [RecordingRow.waiting(f"k{number}", f"night {number}") for number in range(3)]
    live.total, live.revisions = 3, [waiting]
    page.goto(f"http://127.0.0.1:{live.server_port}/")
    bar = page.get_by_role("progressbar")
    bar.wait_for()
    assert bar.get_attribute("aria-valuenow") == "0"
    assert bar.get_attribute("aria-valuemax") == "3"
    assert page.locator("tr.waiting").count() == 3
    live.revisions.append([row(0), row(1)])
    page.locator("tr.waiting").nth(1).wait_for(state="detached")
    assert bar.get_attribute("aria-valuenow") == "2"
    page.locator("#table a").first.focus()
    live.revisions.append([RecordingRow.failed("k2", "night 2", "it broke")])
    page.get_by_text("it broke").wait_for()
    bar.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.textContent") == "night 0"
    assert live.asked[0] == 0
    assert live.asked[-1] >= 2


def test_a_lost_server_is_told_and_found_again(live, page):
    live.total, live.revisions = 2, [[row(0), RecordingRow.waiting("k1", "night 1")]]
    page.goto(f"http://127.0.0.1:{live.server_port}/")
    page.get_by_text("night 1").wait_for()
    live.down = True
    page.get_by_role("alert").wait_for()
    live.down = False
    page.get_by_role("alert").wait_for(state="hidden")
    assert all("503" in fault for fault in page.faults)
    page.faults.clear()
    live.revisions, live.total = [], 0  # started again, on an empty folder
    page.get_by_text("Showing all 0 recordings").wait_for()


def test_rows_that_are_gone_leave_and_another_run_of_the_server_begins_anew(live, page):
    live.total, live.revisions, live.more = 3, [[row(0), row(1)]], {"session": "a"}
    page.goto(f"http://127.0.0.1:{live.server_port}/")
    page.get_by_text("Showing all 2 recordings").wait_for()
    live.more["removed"] = ["k1"]
    page.get_by_text("Showing the recording").wait_for()
    live.revisions, live.more = [[row(5)], [row(6)]], {"session": "b"}
    page.get_by_text("Showing all 2 recordings").wait_for()
    assert page.locator("#table tbody th").all_inner_texts() == ["night 5", "night 6"]
