"""What the figures of all patients say together, with intervals over patients, and as tables."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MINE = {"scaling": "ours"}
"""The way on the patient-aware space that is compared with one on another; by default the same."""
BASE = {"ours, by others": "none, by others"}
"""What a way is compared with; by default no adaptation."""
NOTABLE = 0.001
"""A patient is helped or harmed where his log loss changes by more."""
FEW = 5.0
RESAMPLES = 10_000
STARTS = ("none", "none, by others", "prototypes")
"""Ways with an own classifier without evidence."""
SHOWN = {False: ("2", "5", "15", "60"), True: ("0", "2", "5", "15", "60")}
COLUMNS = ("loss", "wrong", "false", "missed")


def summary(found: Mapping[str, Sequence[Any]], about: Mapping[str, Any]) -> dict[str, Any]:
    """Figures by space, way and minutes; seeds are averaged for each patient first."""
    patients = {space: _mean_of_seeds(each) for space, each in found.items()}
    names = sorted(next(iter(patients["hrv-boosted"]["none"].values())))
    table = {
        space: {
            way: {f"{t:g}": [one[name] for name in names] for t, one in by_t.items()}
            for way, by_t in ways.items()
        }
        for space, ways in patients.items()
    }
    return {
        "patients": names,
        "columns": COLUMNS,
        "spaces": {
            space: {
                way: {
                    t: _described(names, np.array(own), ways[BASE.get(way, "none")]["0"], by_t["0"])
                    for t, own in by_t.items()
                }
                for way, by_t in ways.items()
            }
            for space, ways in table.items()
        },
        "versus": {
            space: {
                way: _versus(table["patient-aware"], MINE.get(way, way), ways, way)
                for way in ways
                if not way.startswith("none")
            }
            for space, ways in table.items()
            if space != "patient-aware"
        },
        "about": about,
        "figures": table,
    }


def _mean_of_seeds(each: Sequence[Any]) -> dict[str, dict[float, dict[str, list[float]]]]:
    found: dict[str, dict[float, dict[str, list[Any]]]] = {}
    for one in each:
        for way, by_t in one.items():
            for t, people in by_t.items():
                for name, figures in people.items():
                    own = found.setdefault(way, {}).setdefault(t, {})
                    own.setdefault(name, []).append(figures)
    return {
        way: {
            t: {name: np.mean(some, axis=0).tolist() for name, some in people.items()}
            for t, people in by_t.items()
        }
        for way, by_t in found.items()
    }


def _described(names: Sequence[str], own: np.ndarray, none: Any, start: Any) -> dict[str, Any]:
    """Of one way and amount: means, the worst tenth, and the difference to no adaptation."""
    of = np.array([name.split("/")[0] for name in names])
    parts = {"pooled": np.ones(len(names), bool)} | {str(one): of == one for one in np.unique(of)}
    found = {}
    for part, rows in parts.items():
        worst = math.ceil(rows.sum() / 10)
        found[part] = {
            "patients": int(rows.sum()),
            **{name: float(own[rows, at].mean()) for at, name in enumerate(COLUMNS)},
            "loss_worst_tenth": float(np.sort(own[rows, 0])[-worst:].mean()),
            "wrong_worst_tenth": float(np.sort(own[rows, 1])[-worst:].mean()),
            "helped": int(np.sum((own - np.array(none))[rows, 0] < -NOTABLE)),
            "harmed": int(np.sum((own - np.array(none))[rows, 0] > NOTABLE)),
            "loss_less_none": interval((own - np.array(none))[rows, 0]),
            "wrong_less_none": interval((own - np.array(none))[rows, 1]),
            "loss_less_start": interval((own - np.array(start))[rows, 0]),
        }
    return found


def _versus(mine: Any, my_way: str, other: Any, way: str) -> dict[str, Any]:
    """The patient-aware space less another at 5 minutes: what is gained, and where one ends."""
    few = f"{FEW:g}"
    after, before = (
        np.array(mine[a][t]) - np.array(other[b][t])
        for a, b, t in ((my_way, way, few), (BASE.get(way, "none"), BASE.get(way, "none"), "0"))
    )
    return {
        column: {
            "change": interval((after - before)[:, at]),
            "before": interval(before[:, at]),
            "after": interval(after[:, at]),
        }
        for at, column in enumerate(COLUMNS[:2])
    }


def interval(differences: np.ndarray) -> list[float]:
    """Mean over patients and its bootstrap interval of 95 %."""
    generator = np.random.default_rng(0)
    drawn = generator.integers(len(differences), size=(RESAMPLES, len(differences)))
    low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
    return [float(differences.mean()), float(low), float(high)]


def as_markdown(result: Mapping[str, Any]) -> str:
    """Short tables; log loss lower is better, shares in per cent."""
    lines = [
        f"{len(result['patients'])} patients of two databases, each by what was learned from the "
        "other; mean over patients, difference to no adaptation with its 95 % interval. Up to 2 "
        "minutes the evidence is the same single window. By others: slope and prior of the other "
        "patients of the test database, none of whom the encoder has seen.",
        "",
        "| space | way | min | log loss | worst tenth | difference | AFDB | LTAFDB |"
        " helped, harmed | wrong % | difference |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for space, ways in result["spaces"].items():
        for way, by_t in ways.items():
            for t in SHOWN[way in STARTS]:
                if not way.startswith("none") or t == "0":
                    lines.append(f"| {space} | {way} | {t} | {' | '.join(_row(by_t[t]))} |")
    lines += [
        "",
        "The axis of log odds in patients that the encoder has seen (training) and not (unseen): "
        "SD between patients, SD of what 5 minutes say, and how far the gap to AF reaches.",
        "",
        "| space | test | between | noise | gap | between, unseen | noise | gap | within |"
        " patients' share of SR's variance | SR cohesion |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for space, runs in result["about"].items():
        for test in dict.fromkeys(one["test"] for one in runs):
            some = [one for one in runs if one["test"] == test and "training" in one]
            if some:
                lines.append(f"| {space} | {test} | {' | '.join(_shape(some))} |")
    lines += [
        "",
        "The patient-aware space less another, with the same way (5 minutes; log loss).",
        "",
        "| other space | way | before | after | change |",
        "|---|---|---|---|---|",
    ]
    for space, ways in result["versus"].items():
        for way, one in ways.items():
            texts = (_text(one["loss"][key], 4) for key in ("before", "after", "change"))
            lines.append(f"| {space} | {way} | {' | '.join(texts)} |")
    return "\n".join(lines) + "\n"


def _row(found: Mapping[str, Any]) -> list[str]:
    """One way and amount."""
    one = found["pooled"]
    return [
        f"{one['loss']:.4f}",
        f"{one['loss_worst_tenth']:.3f}",
        _text(one["loss_less_none"], 4),
        *(f"{found[part]['loss_less_none'][0]:+.4f}" for part in ("afdb", "ltafdb")),
        f"{one['helped']}, {one['harmed']}",
        f"{100 * one['wrong']:.2f}",
        _text(100 * np.array(one["wrong_less_none"]), 2),
    ]


def _shape(some: Sequence[Any]) -> list[str]:
    """One row of the geometry: means over seeds."""
    found = []
    for of in ("training", "unseen"):
        for key in ("between_sd", "noise_sd"):
            found.append(float(np.mean([one[of][key] for one in some])))
        found.append(float(np.mean([one[of]["target"] - one[of]["reference"] for one in some])))
    keys = ("within_sd", "patient_share", "cohesion")
    found += [float(np.mean([one[key] for one in some])) for key in keys]
    return [f"{one:.2f}" for one in found]


def _text(found: Any, digits: int) -> str:
    mean, low, high = found
    return f"{mean:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f})"
