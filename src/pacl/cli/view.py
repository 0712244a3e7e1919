"""`pacl view`: look at recordings in the browser, and say what is AF and what is not."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from pacl.cli.listen_stop import Ending
from pacl.cli.messages import print_error, print_left_out
from pacl.cli.options import READING, STANDARD_INPUT, DetectorOptions, InputPath, OutputPath
from pacl.cli.progress import late_progress, progress
from pacl.errors import PaclError
from pacl.records import (
    Reader,
    ReadOptions,
    RecordError,
    address_of,
    open_records,
    shown_path,
)

if TYPE_CHECKING:
    from pacl.view import Shelf, ViewServer

STEP_S = 0.2


def view(
    *paths: Annotated[InputPath, Parameter(required=True)],
    no_browser: bool = False,
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535), show_default=False)] = 0,
    host: str = "127.0.0.1",
    open_to_network: bool = False,
    edits: OutputPath | None = None,
    mode: Literal["look-ahead", "causal"] = "look-ahead",
    person: InputPath | None = None,
    judge: Annotated[DetectorOptions | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
) -> None:
    """Look at recordings in the browser: all beats, all episodes, and how sure each is.

    Opens a page of this machine. Pan and zoom through all beats, jump from episode to episode, and
    say what a stretch is: AF, not AF, sinus rhythm, or not to be used. The result follows at once,
    and the person's profile learns from it. Marks are kept in a file beside the recording, which
    itself is never changed; pacl detect --edits uses them. Several recordings, or a folder, get an
    index with a calendar. Ctrl-C ends it. Needs pip install 'pacl[view]'.

    Only this machine can reach the page, and only with the address that is printed: it holds a
    secret. Nothing is loaded from a network. Not a medical device: for research, not for diagnosis.

    Parameters
    ----------
    paths
        Recordings, or folders of recordings, as for pacl detect.
    no_browser
        Only print the address.
    port
        Port to use. [default: one that is free]
    host
        Address to listen at; any but this machine's own needs --open-to-network.
    open_to_network
        Let others ask, too: everyone who can reach this machine and knows the address can see the
        recordings and change marks, over a connection that is not encrypted.
    edits
        Folder to keep marks in. [default: beside each recording]
    mode
        look-ahead judges each beat by the beats before and after it; causal judges as in a stream.
    person
        A profile of the person, from pacl adapt or from this page; marks continue it.

    Examples
    --------
    $ pacl view night.edf
    $ pacl view nights/ --person me.json
    """
    from pacl.stored import Kept
    from pacl.view import Shelf, ViewServer, places_of, view_app

    if STANDARD_INPUT in map(str, paths):
        raise PaclError(
            "a stream cannot be looked at: write its intervals to a file, or see listen"
        )
    _check_host(host, open_to_network)
    if edits is not None and not edits.is_dir():
        raise PaclError(f"--edits {edits}: expected a folder that exists; make it first")
    detector = (judge or DetectorOptions()).detector(person)
    places = list(places_of(_readers(paths, read)))
    if not places:
        raise PaclError("there are no recordings to look at")
    if person is not None and len(places) > 1:
        print_error("the profile is used for all of these recordings: they must be of one person")
    shelf = Shelf(
        places,
        detector,
        mode=mode,
        weights=(judge or DetectorOptions()).weights,
        options=read,
        edits_folder=edits,
        kept=Kept(notice=print_error),
    )
    if len(places) == 1:  # what cannot be read is an error here, not an empty page
        with late_progress(f"reading {places[0].record_id}"):
            shelf.opened(places[0].key)
    title = paths[0].resolve().name if len(paths) == 1 else "Recordings"
    server = ViewServer(view_app(shelf, title), host, port, open_to_network=open_to_network)
    _serve(server, shelf, browser=not no_browser)


def _check_host(host: str, open_to_network: bool) -> None:
    from pacl.view import is_loopback

    if not is_loopback(host) and not open_to_network:
        raise PaclError(
            f"--host {host}: others could see the recordings and change marks, and the connection "
            "is not encrypted; add --open-to-network if that is meant, or leave out --host"
        )


def _readers(paths: Sequence[Path], read: ReadOptions | None) -> list[tuple[Path, Reader]]:
    """A reader for each path; one that cannot be opened is an error if it is the only one."""
    found = []
    for path in paths:
        if address_of(path):
            raise PaclError(
                f"{shown_path(path)}: recordings are shown from this machine, with marks by hand "
                "beside them; copy them here, or use pacl detect --format html"
            )
        try:
            with late_progress(f"reading {path.name}") as advance:
                found.append((path, open_records(path, read, advance)))
        except RecordError as error:
            if len(paths) == 1:
                raise
            print_error(error)
            continue
        print_left_out(found[-1][1])
    return found


def _serve(server: "ViewServer", shelf: "Shelf", *, browser: bool) -> None:
    """Answer until Ctrl-C; meanwhile all recordings are judged."""
    total = len(shelf.places)
    with Ending() as ending:
        shelf.start()
        server.start()
        try:
            print(f"Open {server.address}", flush=True)
            print("Ctrl-C ends it.", file=sys.stderr, flush=True)
            if browser:
                _open_browser(server.address)
            with progress("judging recordings", quiet=total == 1) as advance:
                while (done := shelf.ready) < total and server.wait(STEP_S) and not ending.asked:
                    advance(done, total)
                if total > 1 and shelf.ready == total:
                    advance(total, total)
            while not ending.asked and server.wait(STEP_S):
                pass
        finally:
            server.stop()
            shelf.stop()


def _open_browser(address: str) -> None:
    """Open the page, where there is a screen to open it on."""
    import webbrowser

    has_screen = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not (has_screen and webbrowser.open(address)):
        print_error("no browser could be opened here; open the address yourself")
