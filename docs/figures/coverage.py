"""Find what intervals over patients cover: docs/statistics.md, and the table of the package.

    python docs/figures/coverage.py

Takes about three minutes on one core. Where what was found is not what
`src/pacl/evaluation/coverage.py` holds, prints the table to put there.
"""

import sys

import numpy as np
from sections import write_section

from pacl.evaluation.coverage import (
    COVERAGE,
    LEVEL,
    PATIENTS,
    POPULATIONS,
    REPLICATIONS,
    RESAMPLES,
    SEED,
    Covered,
    study_coverage,
)

Cell = tuple[str, str, str, int]


def compute() -> dict[Cell, Covered]:
    """Study every population at every size: quantity, method, population, patients."""
    found: dict[Cell, Covered] = {}
    for at, population in enumerate(POPULATIONS):
        for patients in PATIENTS:
            cells = study_coverage(
                population,
                patients,
                np.random.default_rng([SEED, at, patients]),
                replications=REPLICATIONS,
                resamples=RESAMPLES,
                level=LEVEL,
            )
            for (quantity, method), covered in cells.items():
                found[quantity, method, population.name, patients] = covered
    return found


def table(found: dict[Cell, Covered]) -> list[str]:
    """A row a quantity, method and population; coverage and median width at each size."""
    lines = [
        f"| quantity | population | method | {' | '.join(f'{n} patients' for n in PATIENTS)} |",
        f"|---|---|---|{'--:|' * len(PATIENTS)}",
    ]
    rows = {(quantity, population, method): None for quantity, method, population, _ in found}
    for quantity, population, method in sorted(rows, key=lambda row: row[:2]):
        cells = (found[quantity, method, population, patients] for patients in PATIENTS)
        said = " | ".join(f"{100 * one.covered:.1f} % ({one.width:.3f})" for one in cells)
        lines.append(f"| {quantity} | {population} | `{method}` | {said} |")
    return lines


def constant(found: dict[Cell, Covered]) -> dict[str, dict[str, dict[str, tuple[float, ...]]]]:
    """The same as the package holds it."""
    held: dict[str, dict[str, dict[str, tuple[float, ...]]]] = {}
    for quantity, method, population, _ in found:
        held.setdefault(quantity, {}).setdefault(method, {})[population] = tuple(
            round(found[quantity, method, population, patients].covered, 3) for patients in PATIENTS
        )
    return held


def main() -> None:
    """Compute, write, compare."""
    found = compute()
    write_section("docs/statistics.md", "coverage", "\n".join(table(found)))
    if constant(found) != COVERAGE:
        print(constant(found))
        sys.exit("src/pacl/evaluation/coverage.py holds another table; put the one above there")


if __name__ == "__main__":
    main()
