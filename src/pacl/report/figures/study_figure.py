"""A figure of the study report: plain data computed from the study, then drawn.

A module of this package that states `FIGURE = StudyFigure(...)` is on the page.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pacl.report.style import FigureError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pacl.evaluation import Evaluation
    from pacl.rr import RRWindowSet
    from pacl.studies import Outcomes

Section = Literal["patients", "method", "geometry", "detection", "summary"]
"""Where a figure is on the page. Figures of geometry and detection are drawn for each cohort."""

Data = TypeVar("Data")


@dataclass(frozen=True, slots=True)
class StudyData:
    """What a figure is computed from.

    Parameters
    ----------
    outcomes
        All runs on the cohort that is drawn.
    cohorts
        All runs on all cohorts; the own test patients are the first.
    windows
        The window set that the runs learned from.
    """

    outcomes: "Outcomes"
    cohorts: "tuple[Outcomes, ...]"
    windows: "RRWindowSet"

    def evaluations(self) -> "dict[str, list[Evaluation]]":
        """By loss: the evaluation of each seed."""
        return {
            loss: [one.measured for one in self.outcomes.of(loss)] for loss in self.outcomes.losses
        }


@dataclass(frozen=True, slots=True)
class StudyFigure(Generic[Data]):
    """A figure of the report.

    Parameters
    ----------
    name
        Of its file, without ending.
    section
        Where it is on the page.
    alt, caption
        What it shows, and the text below it; `{cohort}` stands for the title of the cohort.
        A caption may also be a function of the study.
    compute, draw
        From the study to plain data, and from plain data to a figure of matplotlib.
    wide
        Whether it may be wider than the text.
    order
        Place within its section; equal ones are ordered by name.
    """

    name: str
    section: Section
    alt: str
    caption: str | Callable[[StudyData], str]
    compute: Callable[[StudyData], Data]
    draw: "Callable[[Data], Figure]"
    wide: bool = False
    order: int = 100

    @property
    def for_each_cohort(self) -> bool:
        """Whether it is drawn for each cohort, not once for the study."""
        return self.section in ("geometry", "detection")

    def caption_of(self, study: StudyData) -> str:
        """The caption, with the title of the cohort in it."""
        if callable(self.caption):
            return self.caption(study)
        return self.caption.replace("{cohort}", study.outcomes.title)


@cache
def study_figures() -> tuple[StudyFigure[Any], ...]:
    """The figures that the modules of this package state, in the order of the page."""
    package = __name__.rpartition(".")[0]
    names = [one.name for one in iter_modules(import_module(package).__path__)]
    modules = [import_module(f"{package}.{name}") for name in names]
    found = [module.FIGURE for module in modules if hasattr(module, "FIGURE")]
    if twice := sorted({one.name for one in found if sum(x.name == one.name for x in found) > 1}):
        raise FigureError(f"several modules state a figure {', '.join(twice)}; rename one")
    return tuple(sorted(found, key=lambda one: (one.order, one.name)))
