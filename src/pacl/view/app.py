"""The pages and what they ask for.

```
/                     the index, or the page if there is one recording
/assets/NAME          style sheets and scripts, by a fixed list
/api/index?since=N    rows that have changed
/r/KEY/               the page of a recording; below it: beats, view, about, revision, ecg/MINUTE,
                      sheet, edits (POST), edits.jsonl, person.json, detection.json
```

Recordings are asked for by key, never by path.
"""

import json
from pathlib import Path
from threading import Lock
from typing import Any, cast

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from pacl.edits import EditError, Entry, entry_from
from pacl.errors import PaclError
from pacl.report.index import index_assets, live_index_page
from pacl.report.page import as_data
from pacl.report.recording import (
    about_page,
    live_recording_page,
    packed_minute,
    recording_assets,
    sheet_page,
)
from pacl.stored import parse_json
from pacl.view.opened import Opened
from pacl.view.shelf import Shelf

MOST_BODY = 65_536
"""Bytes of a mark: a note has at most 2,000 characters."""
MOST_DIGITS = 7
"""Of the number of a minute."""
MEDIA = {"css": "text/css", "js": "text/javascript"}
SHEET_STYLES = ("page.css", "sheet.css")


def view_app(shelf: Shelf, title: str) -> Starlette:
    """The application; `Guard` must stand before it."""
    pages = _Pages(shelf, title)
    below = {
        "": pages.recording,
        "beats": pages.beats,
        "view": pages.view,
        "about": pages.about,
        "revision": pages.revision,
        "ecg/{minute}": pages.ecg,
        "sheet": pages.sheet,
        "edits.jsonl": pages.edits_file,
        "person.json": pages.person_file,
        "detection.json": pages.detection_file,
    }
    app = Starlette(
        routes=[
            Route("/", pages.index),
            Route("/assets/{name}", pages.asset),
            Route("/api/index", pages.rows),
            *(Route(f"/r/{{key}}/{name}", answer) for name, answer in below.items()),
            Route("/r/{key}/edits", pages.edit, methods=["POST"]),
        ],
        exception_handlers={
            PaclError: _refused,
            HTTPException: _refused_as_such,
            Exception: _unexpected,
        },
    )
    app.router.redirect_slashes = False  # it does not know the secret, so it would lead nowhere
    return app


def _refused(request: Request, error: Exception) -> Response:
    """An error that the person at the page can act on."""
    return JSONResponse({"error": str(error)}, status_code=422)


def _refused_as_such(request: Request, error: Exception) -> Response:
    """No such page, no such method, or a body that is none; pages read the reason as JSON."""
    known = cast(HTTPException, error)
    return JSONResponse({"error": known.detail}, known.status_code, known.headers)


def _unexpected(request: Request, error: Exception) -> Response:
    """A fault of ours; the server prints it, too."""
    what = f"an error of pacl itself ({type(error).__name__}: {error}); please report it"
    return JSONResponse({"error": what}, status_code=500)


class _Pages:
    """Answers; those that are not `async` run in threads, since they compute."""

    def __init__(self, shelf: Shelf, title: str) -> None:
        self._shelf, self._title = shelf, title
        self._assets = {**index_assets(), **recording_assets()}
        self._drawing = Lock()  # the settings of matplotlib are those of all threads

    def index(self, request: Request) -> Response:
        places = self._shelf.places
        if len(places) == 1:
            (one,) = places.values()
            return RedirectResponse(one.address, status_code=303)
        return HTMLResponse(live_index_page(self._title))

    def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._assets:
            raise HTTPException(404)
        return Response(self._assets[name], media_type=MEDIA[name.rpartition(".")[2]])

    def rows(self, request: Request) -> Response:
        since = request.query_params.get("since", "0")
        if not since.isdecimal() or len(since) > 12:
            raise HTTPException(400)
        return JSONResponse(self._shelf.rows_since(int(since)))

    def recording(self, request: Request) -> Response:
        try:
            one = self._open(request)
        except PaclError as error:
            return HTMLResponse(_failed(str(error)), status_code=422)
        with self._drawing, one.lock:
            page = live_recording_page(
                one.record,
                one.detection,
                one.view().values,
                one.embedded(),
                assets="../../assets/",
                edits_path=one.path.name,
                up="../../" if len(self._shelf.places) > 1 else "",
            )
        return HTMLResponse(page)

    def beats(self, request: Request) -> Response:
        content = self._open(request).view().beats.content
        return Response(content, media_type="application/octet-stream")

    def view(self, request: Request) -> Response:
        return _values(self._open(request))

    def about(self, request: Request) -> Response:
        one = self._open(request)
        with self._drawing:
            return HTMLResponse(about_page(one.record, one.detection, one.embedded()))

    def revision(self, request: Request) -> Response:
        return JSONResponse({"revision": self._open(request).revision})

    def ecg(self, request: Request) -> Response:
        one, minute = self._open(request), request.path_params["minute"]
        is_one = minute.isascii() and minute.isdecimal() and len(minute) <= MOST_DIGITS
        if one.ecg is None or not is_one:
            raise HTTPException(404)
        content = packed_minute(one.ecg, int(minute))
        return Response(content, media_type="application/octet-stream")

    def sheet(self, request: Request) -> Response:
        one = self._open(request)
        styles = [f"../../assets/{name}" for name in SHEET_STYLES]
        return HTMLResponse(sheet_page(one.record, one.detection, one.ecg, styles=styles))

    def edits_file(self, request: Request) -> Response:
        one = self._open(request)
        return _file(one.exported(), one.path.name, "application/jsonl")

    def person_file(self, request: Request) -> Response:
        one = self._open(request)
        return _file(one.profile().encode(), "person.json", "application/json")

    def detection_file(self, request: Request) -> Response:
        one = self._open(request)
        content = json.dumps(one.detection.to_dict(), indent=1) + "\n"
        return _file(content.encode(), "detection.json", "application/json")

    async def edit(self, request: Request) -> Response:
        """Keep a mark; when the answer comes, it is on the disk."""
        kind = request.headers.get("content-type", "").partition(";")[0]
        if kind != "application/json":
            raise HTTPException(415)
        entry = _entry(await _body(request))
        return await run_in_threadpool(self._edited, request, entry)

    def _edited(self, request: Request, entry: Entry) -> Response:
        one = self._open(request)
        one.add(entry)  # from here on it is on the disk
        self._shelf.update(one)
        return _values(one)

    def _open(self, request: Request) -> Opened:
        key = request.path_params["key"]
        if key not in self._shelf.places:
            raise HTTPException(404)
        return self._shelf.opened(key)


def _values(one: Opened) -> Response:
    return Response(as_data(one.view().values), media_type="application/json")


async def _body(request: Request) -> bytes:
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > MOST_BODY:
            raise HTTPException(413)
    return content


def _entry(body: bytes) -> Entry:
    """What a page says, with checks."""
    stated: dict[str, Any] = parse_json(body, Path("mark"), dict[str, Any], _no_mark)
    if {"id", "at"} & stated.keys():
        raise _no_mark(Path("mark"), "it has an id already")
    return entry_from(stated)


def _no_mark(path: Path, what: str) -> EditError:
    return EditError(f"no {path} ({what}); reload the page")


def _file(content: bytes, name: str, media: str) -> Response:
    plain = "".join(
        one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name
    )
    headers = {"content-disposition": f'attachment; filename="{plain}"'}
    return Response(content, media_type=media, headers=headers)


def _failed(why: str) -> str:
    from pacl.report.page import render

    return render("failed.html", why=why)
