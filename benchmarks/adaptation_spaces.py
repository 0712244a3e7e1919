"""The space that adapts best to one patient from a few minutes of his own sinus rhythm.

    python benchmarks/adaptation_spaces.py LTAFDB AFDB RUNS -o spaces.json [--cache FOLDER]

LTAFDB and AFDB are folders of recordings. RUNS holds encoders trained on one of them,
`{ltafdb,afdb}-{patient-aware,supcon,bce,scaled}-{1,42,102}`; each is tested on the other database,
and so are classifiers on HRV features. Writes `spaces.json`, and tables beside it as `spaces.md`.
On one core the embeddings take 8 minutes, once, and all else 8.

Each way of adapting sees the first minutes of a patient's first sinus rhythm and is scored on later
windows, the same for all amounts. See `adaptation_spaces_windows.py` and `_ways.py`.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from adaptation_spaces_directions import Directions
from adaptation_spaces_tables import BASE, as_markdown, summary
from adaptation_spaces_ways import (
    AMOUNTS,
    CHOSEN_AT,
    Figures,
    OutOfFold,
    Population,
    Prototypes,
    Space,
    TunedHead,
    Way,
    ours,
    score,
)
from adaptation_spaces_windows import Cohort, Person, cached_embedding, embed
from threadpoolctl import threadpool_limits

from pacl.adaptation import LIMIT
from pacl.cohort import PooledProtocol
from pacl.evaluation import fit_probe
from pacl.records import open_records
from pacl.rivals.hrv import CLASSIFIERS
from pacl.rr import RRWindowSet, prepare
from pacl.studies.folder import RunFolder
from pacl.studies.inputs import all_in
from pacl.studies.weights.recipe import CUT

LOSSES = ("patient-aware", "supcon", "bce")
SEEDS = (1, 42, 102)
MINUTES = (0.0, *AMOUNTS)
FARTHEST_SD = 5.0
"""Standardised HRV features are clipped to this: some have very long tails."""

Found = dict[str, dict[float, dict[str, Figures]]]
"""Figures by way, minutes and patient."""


def main() -> None:
    """Judge all spaces, in both directions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ltafdb", type=Path)
    parser.add_argument("afdb", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("spaces.json"))
    parser.add_argument("--cache", type=Path, default=Path("spaces_cache"))
    chosen = parser.parse_args()
    chosen.cache.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    began = time.perf_counter()
    data = {path.name: path for path in (chosen.ltafdb, chosen.afdb)}
    cohorts = [Cohort(path, chosen.cache) for path in data.values()]
    found: dict[str, list[Found]] = {}
    about: dict[str, list[dict[str, Any]]] = {}
    with threadpool_limits(1):
        for train, test in (cohorts, cohorts[::-1]):
            print(f"{train.name} -> {test.name}: {len(test.people)} patients", flush=True)
            for name, seed, space in spaces(train, test, chosen.runs):
                figures, described = judge(name, space)
                found.setdefault(name, []).append(figures)
                about.setdefault(name, []).append({"test": test.name, "seed": seed, **described})
                _say(began, name, seed, figures, "ours")
            for seed in SEEDS:
                run = chosen.runs / f"{train.name}-scaled-{seed}"
                figures, described = scaled(run, data[train.name], train, test)
                found.setdefault("scaled", []).append(figures)
                described = {"test": test.name, "seed": seed, **described}
                about.setdefault("scaled", []).append(described)
                _say(began, "scaled", seed, figures, "scaling")
    result = summary(found, about)
    chosen.output.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n", "utf-8")
    chosen.output.with_suffix(".md").write_text(as_markdown(result), "utf-8")
    print(as_markdown(result))


def spaces(train: Cohort, test: Cohort, runs: Path) -> Iterator[tuple[str, int, Space]]:
    """All spaces but the scaled one, by name and seed."""
    given, other = train.hrv(), test.hrv()
    yield "hrv-boosted", 0, Space(train, test, given, other, fit=Boosted)
    mean, sd = given.mean(axis=0, dtype=np.float64), given.std(axis=0, dtype=np.float64)
    given, other = (
        np.clip((one - mean) / np.maximum(sd, 1e-9), -FARTHEST_SD, FARTHEST_SD)
        for one in (given, other)
    )
    yield "hrv-logistic", 0, Space(train, test, given, other)
    for loss in LOSSES:
        for seed in SEEDS:
            run = runs / f"{train.name}-{loss}-{seed}"
            head = RunFolder.open(run).probe()
            yield loss, seed, Space(train, test, train.embedded(run), test.embedded(run), head=head)


class Boosted:
    """Boosted trees on features."""

    def __init__(self, x: np.ndarray, label: np.ndarray) -> None:
        self.model = CLASSIFIERS["boosting"](0).fit(x, label)

    def logit(self, x: np.ndarray) -> np.ndarray:
        """Log odds of AF."""
        found: np.ndarray = self.model.decision_function(x)
        return found


def judge(name: str, space: Space) -> tuple[Found, dict[str, Any]]:
    """Figures of all ways on a space, and what it is like."""
    people = Population(space)
    check_planted(people)
    ways: dict[str, Way] = dict(people.ways())
    about: dict[str, Any] = {"slope": people.out.slope, **geometry(people)}
    if name != "hrv-boosted":
        prototypes, head, axes = Prototypes(people), TunedHead(people), Directions(people)
        ways |= {"prototypes": prototypes, "tuned head": head, "directions of the head": axes}
        about |= {
            "shrink": str(prototypes.shrink),
            "penalty": str(head.penalty),
            "weight": axes.weight,
        }
    if name in LOSSES:
        about |= {"same_probe": same_probe(people)}
    found = {
        way: {
            t: {one.name: score(logit(one, t), space.test, one.scored) for one in space.test.people}
            for t in MINUTES
        }
        for way, logit in ways.items()
    }
    for way in found.keys() - {"prototypes", *BASE.values()}:
        base = BASE.get(way, "none")
        assert found[way][0.0] == found[base][0.0], f"{way} without evidence is not {base}"
    return found, about


def geometry(people: Population) -> dict[str, Any]:
    """How sinus rhythm lies within and between patients: on the axis of log odds, and in space."""
    test, x = people.space.test, people.space.x_test

    def places(prior: Any) -> dict[str, float]:
        bias, variance = prior.known.at(CHOSEN_AT)
        apart = prior.target - prior.reference
        return {
            "reference": prior.reference,
            "target": prior.target,
            "between_sd": prior.reference_sd,
            "noise_sd": variance**0.5,
            "noise_bias": bias,
            "between_of_gap": prior.reference_sd / apart,
            "noise_of_gap": variance**0.5 / apart,
            "trust": prior.reference_sd**2 / (prior.reference_sd**2 + variance),
            "patients": prior.subjects,
        }

    own = [x[test.sinus & (test.patient == code)] for code in np.unique(test.patient)]
    own = [rows.astype(np.float64) for rows in own if len(rows) >= 2]
    within = np.mean([rows.var(axis=0).sum() for rows in own])
    between = np.var([rows.mean(axis=0) for rows in own], axis=0).sum()
    logit = np.clip(people.logit, -LIMIT, LIMIT)
    spread = [logit[test.sinus & (test.patient == code)] for code in np.unique(test.patient)]
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in own]
    alike = [
        (np.square(rows.sum(axis=0)).sum() - len(rows)) / (len(rows) * (len(rows) - 1))
        for rows in unit
    ]
    return {
        "training": places(people.prior),
        "unseen": places(people.unseen),
        "within_sd": float(np.mean([one.std() for one in spread if one.size])),
        "patient_share": float(between / (between + within)),
        "cohesion": float(np.mean(alike)),
    }


def check_planted(people: Population) -> None:
    """A patient whose sinus rhythm is made to lie 3 above is moved back, and nobody else is."""
    test, moved = people.space.test, people.logit.copy()
    chosen, *others = test.people
    own = (test.patient == test.patient[chosen.run[0]]) & (test.label == 0)
    moved[own] = people.prior.reference + 3.0 + np.random.default_rng(0).normal(0, 0.3, own.sum())

    def by(logit: np.ndarray, one: Person) -> np.ndarray:
        return ours(logit, people.prior, test, one, CHOSEN_AT)

    assert all(np.array_equal(by(moved, one), by(people.logit, one)) for one in others)
    sinus = test.label[chosen.scored] == 0
    back = (moved[chosen.scored] - by(moved, chosen))[sinus].mean()
    assert 0 < back < 4, f"{chosen.name} was moved back by {back:.2f}"


def same_probe(people: Population) -> float:
    """Largest difference of log odds by the run's own probe and by one fitted here again."""
    space = people.space
    again = fit_probe(space.x_train, space.train.label)
    return float(np.abs(again.logit(space.x_test) - people.head.logit(space.x_test)).max())


def scaled(run: Path, data: Path, train: Cohort, test: Cohort) -> tuple[Found, dict[str, Any]]:
    """Windows scaled by the evidence itself (Eq. 4); without any, by the usual patient."""
    folder = train.cache / f"{train.name}-scaled-windows"
    if not folder.exists():
        protocol = PooledProtocol()
        prepare(open_records(data), folder, protocol=protocol, divide=all_in("test"), cut=CUT)
    windows, opened = RRWindowSet.open(folder), RunFolder.open(run)
    encoder, table = opened.encoder(), windows.table
    own_hour = cached_embedding(train.cache, f"{train.name}-own-hour", run, windows)
    out = OutOfFold(own_hour, table.labels, table.patient.codes, fit_probe)
    first = np.unique(table.patient.codes, return_index=True)[1]
    usual = float(np.median(table.centre_ms[first])), float(np.median(table.scale_ms[first]))
    found: Found = {"scaling": {}}
    for minutes in MINUTES:
        own = found["scaling"][minutes] = {}
        for one, scale in test.scales(minutes):
            chosen = test.windows.select(one.scored)
            centre, spread = (np.full(one.scored.size, v, np.float32) for v in scale or usual)
            chosen = replace(chosen, table=replace(chosen.table, centre_ms=centre, scale_ms=spread))
            logit = out.slope * opened.probe().logit(embed(encoder, chosen))
            own[one.name] = score(logit, test, one.scored)
    none = dict.fromkeys(MINUTES, found["scaling"][0.0])
    return {"none": none, **found}, {"slope": out.slope, "usual_ms": usual}


def _say(began: float, name: str, seed: int, found: Found, way: str) -> None:
    before, after = (
        np.mean([one.loss for one in some.values()])
        for some in (found["none"][0.0], found[way][CHOSEN_AT])
    )
    passed = time.perf_counter() - began
    print(f"{passed:5.0f} s  {name:14} {seed:3}  {before:.4f} -> {after:.4f}", flush=True)


if __name__ == "__main__":
    main()
