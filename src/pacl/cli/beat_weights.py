"""`pacl weights --data A --data B`: from several cohorts to a detector that judges every beat."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.cli.messages import say
from pacl.cli.progress import progress
from pacl.errors import PaclError

if TYPE_CHECKING:
    from pacl.models.beat_network import BeatNetwork
    from pacl.studies.beats import BeatRecipe
    from pacl.studies.beats.make import Made

STUDY = "weights-study.json"


def make_beats(
    cohorts: Sequence[Path],
    output: Path,
    name: str,
    *,
    steps: int | None,
    device: str,
    processes: int,
    quiet: bool,
) -> None:
    """Make a detector of beats in `output/NAME`, and print what it is worth to strangers."""
    from pacl.report.cards import write_beat_card
    from pacl.studies import beats
    from pacl.studies.beats.cohorts import cohort_name, read_cohorts
    from pacl.studies.beats.make import first_fits, make_detector
    from pacl.studies.beats.write import learned_from, write_detector
    from pacl.studies.begun import begin_study
    from pacl.studies.folder import check_name
    from pacl.studies.lock import sole_worker

    check_name(name, output, what="weights")
    candidates = [_with_steps(one, steps) for one in beats.CANDIDATES]
    stream = _with_steps(beats.STREAM, steps)
    names = [cohort_name(path) for path in cohorts]
    if len(set(names)) < len(names):
        raise PaclError(f"two cohorts are called {names}; name them in their cohort.toml")
    load = partial(read_cohorts, tuple(cohorts))
    found = load()
    total = len(first_fits(found, candidates, stream))
    with sole_worker(output):
        recordings = {one.name: one.digest for one in found}
        stated = {"data": names, "recordings": recordings, "name": name, "kind": "beats"}
        begin_study(output, STUDY, stated, trained="fits")
        with progress("networks", quiet=quiet) as advance:
            done: list[str] = []

            def count(fit: str) -> None:
                done.append(fit)
                advance(len(done), max(total, len(done)))

            made = make_detector(
                load,
                output,
                name,
                candidates=candidates,
                stream=stream,
                device=device,
                processes=processes,
                done=count,
            )
        learned = [learned_from(one) for one in made.cohorts]
        sizes = {
            "look-ahead": _parameters(made.networks.look_ahead[0]),
            "stream": _parameters(made.networks.stream),
        }
        card = write_beat_card(name, learned, made.measured, made.choice.shipped.name, sizes)
        write_detector(
            output / name, name, made.networks, made.cohorts, measured=made.measured, card=card
        )
    _print(made)
    say(output / name)


def _with_steps(recipe: "BeatRecipe", steps: int | None) -> "BeatRecipe":
    """A recipe of so many steps, if any are asked for."""
    if steps is None:
        return recipe
    if steps < 1:
        raise PaclError(f"--steps {steps}; give at least 1")
    return replace(recipe, training=replace(recipe.training, steps=steps))


def _parameters(network: "BeatNetwork") -> int:
    return sum(one.numel() for one in network.parameters())


def _print(made: "Made") -> None:
    """What the detector is worth, cohort by cohort, each left out."""
    for cohort, one in made.measured["look-ahead"]["balanced"].items():
        se, predictivity = (
            "-" if one[key] is None else f"{one[key]:.3f}"
            for key in ("sensitivity", "predictivity")
        )
        say(
            f"{cohort}, left out: {one['patients']} patients, AF time found {se}, called time that "
            f"is AF {predictivity}, {one['false_alarms_per_day']:.2f} false alarms a day"
        )
