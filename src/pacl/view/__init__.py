"""Looking at recordings in a browser: a server on this machine, for what was named alone."""

from pacl.view.app import view_app
from pacl.view.guard import Guard, is_loopback
from pacl.view.place import Place, places_of
from pacl.view.server import ViewServer
from pacl.view.shelf import Shelf

__all__ = ["Guard", "Place", "Shelf", "ViewServer", "is_loopback", "places_of", "view_app"]
