"""The `cohort.toml` at an address."""

from dataclasses import replace
from pathlib import Path

from pacl.records.address import Place
from pacl.records.errors import ManifestError, MissingError
from pacl.records.manifest import CohortManifest, read_manifest
from pacl.records.remote.mirror import mirror
from pacl.records.tree import MANIFEST
from pacl.stored import read_toml


def remote_manifest(place: Place) -> CohortManifest | None:
    """The manifest in a folder at an address, if there is one.

    Its key `recordings` is refused: an address is given for the recordings themselves.
    """
    with mirror(place) as here:
        try:
            here.fetch([(MANIFEST, None)])
        except MissingError:
            return None
        path, shown = here.folder / MANIFEST, Path(place.shown(MANIFEST))
        with here.named():
            stated = read_toml(path, lambda at, what: ManifestError(at, [f"{what}; correct it"]))
            if "recordings" in stated:
                raise ManifestError(
                    path,
                    [
                        "recordings: a manifest at an address is for its own folder; leave the key "
                        "out, and put the manifest beside the recordings"
                    ],
                )
            return replace(read_manifest(path), path=shown, recordings=shown.parent)
