"""`pacl weights --data A --data B`: from several cohorts to a detector of single beats."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.cli.messages import say
from pacl.errors import PaclError

if TYPE_CHECKING:
    from pacl.af.networks import BeatNetwork
    from pacl.studies.beats import BeatRecipe, Made


def make_beats(
    cohorts: Sequence[Path],
    output: Path,
    name: str,
    *,
    steps: int | None,
    device: str,
    processes: int,
    scheduler: str | None,
    quiet: bool,
) -> None:
    """Make a detector of beats in `output/NAME`, and print its figures on unseen databases."""
    from pacl.cli.study_progress import study_progress
    from pacl.locks import sole_worker
    from pacl.report import write_beat_card
    from pacl.studies import beats, check_name
    from pacl.studies.beats import (
        cohort_name,
        learned_from,
        make_detector,
        read_cohorts,
        write_detector,
    )

    check_name(name, output, what="weights")
    names = [cohort_name(path) for path in cohorts]
    if len(set(names)) < len(names):
        raise PaclError(f"two cohorts are called {names}; name them in their cohort.toml")
    with sole_worker(output):
        with study_progress(output, quiet=quiet) as progress:
            made = make_detector(
                partial(read_cohorts, tuple(cohorts)),
                output,
                name,
                candidates=[_with_steps(one, steps) for one in beats.CANDIDATES],
                stream=_with_steps(beats.STREAM, steps),
                device=device,
                processes=processes,
                scheduler=scheduler,
                report=progress,
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
    """The recipe with another number of steps, if one is given."""
    if steps is None:
        return recipe
    if steps < 1:
        raise PaclError(f"--steps {steps}; give at least 1")
    return replace(recipe, training=replace(recipe.training, steps=steps))


def _parameters(network: "BeatNetwork") -> int:
    return sum(one.numel() for one in network.parameters())


def _print(made: "Made") -> None:
    """Figures on each cohort, of networks that left it out."""
    for cohort, one in made.measured["look-ahead"]["balanced"].items():
        se, predictivity = (
            "-" if one[key] is None else f"{one[key]:.3f}"
            for key in ("sensitivity", "predictivity")
        )
        say(
            f"{cohort}, left out: {one['patients']} patients, AF time found {se}, called time that "
            f"is AF {predictivity}, {one['false_alarms_per_day']:.2f} false alarms a day"
        )
