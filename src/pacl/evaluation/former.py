"""Evaluations as earlier versions wrote them: of two classes, each with keys of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

from pacl.evaluation.confusion import mean_of_known
from pacl.stored import MisfitError


def in_this_form(stated: Mapping[str, Any]) -> dict[str, Any]:
    """What an earlier version wrote to `evaluation.json`, with the keys of this one.

    Then every number of a class was under a key that began with the name of the class, such as
    `detection.NAME.recall` or `pooled.per_patient.NAME_cohesion`.
    """
    if "class_names" in stated:
        return dict(stated)
    try:
        return _in_this_form(stated)
    except KeyError as error:
        raise MisfitError(f"{error.args[0]} missing") from error
    except (AttributeError, IndexError, StopIteration, TypeError, ValueError) as error:
        if isinstance(error, MisfitError):
            raise
        raise MisfitError(f"not an evaluation of this or an earlier version ({error})") from error


def _in_this_form(stated: Mapping[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = _renamed(stated)
    detection = named["detection"]
    keys = [key for key, value in detection.items() if "precision" in _fields(value)]
    if len(keys) != 2:
        raise MisfitError("class_names missing")
    sections = {
        "detection": _detection(detection, keys),
        **{space: _geometry(named[space], keys) for space in ("pooled", "projected")},
        **{f"{space}_spread": _spread(named[f"{space}_spread"], keys) for space in _SPACES},
    }
    return {"class_names": [key.upper() for key in keys], **named, **sections}


_SPACES = ("pooled", "projected")


def _renamed(stated: Any) -> Any:
    if isinstance(stated, dict):
        return {key.replace("patient", "subject"): _renamed(value) for key, value in stated.items()}
    return [_renamed(value) for value in stated] if isinstance(stated, list) else stated


def _fields(value: Any) -> Any:
    return value if isinstance(value, dict) else ()


def _without(stated: Mapping[str, Any], *gone: str) -> dict[str, Any]:
    return {key: value for key, value in stated.items() if key not in gone}


def _classes(stated: Mapping[str, Any], keys: Sequence[str], **more: Any) -> list[dict[str, Any]]:
    return [{**stated[key], "name": key.upper(), **more} for key in keys]


def _detection(stated: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    first, second = (stated[key] for key in keys)
    rows = [_subject_detection(row, keys) for row in stated["per_subject"]]
    balanced = sorted(row["balanced_accuracy"] for row in rows)
    calibration = stated["calibration"]
    return {
        **_without(stated, *keys, "sensitivity", "specificity"),
        "classes": _classes(stated, keys, auroc=stated["auroc"]),
        "balanced_accuracy": mean_of_known([first["recall"], second["recall"]]),
        "balanced_accuracy_subject_mean": mean_of_known(balanced),
        "balanced_accuracy_worst_tenth": mean_of_known(balanced[: -(-len(balanced) // 10)]),
        "macro_f1": mean_of_known([first["f1"], second["f1"]]),
        "confusion": _confusion(first, second),
        "calibration": {**calibration, "bins": [_bin(one) for one in calibration["bins"]]},
        "per_subject": rows,
    }


def _confusion(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[list[int]]:
    """Counts from the recalls, which are ratios of them."""
    found = [round(one["windows"] * (one["recall"] or 0)) for one in (first, second)]
    return [[found[0], first["windows"] - found[0]], [second["windows"] - found[1], found[1]]]


def _subject_detection(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    recalls = [row["specificity"], row["sensitivity"]]
    counts = [f"{key}_windows" for key in keys]
    return {
        **_without(row, *counts, "sensitivity", "specificity"),
        "windows": [row[key] for key in counts],
        "recalls": recalls,
        "balanced_accuracy": mean_of_known(recalls),
    }


def _bin(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"share" if key.endswith("_share") else key: value for key, value in one.items()}


def _geometry(stated: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    shared = ("centroid_distance", "centroid_similarity", "compactness", "subject_compactness")
    counts = ("subjects_with_both", "subjects_without_spread")
    first, second = (key.upper() for key in keys)
    return {
        **{key: stated[key] for key in shared},
        "classes": _classes(stated, keys),
        "pairs": [
            {"first": first, "second": second, **{key: stated[key] for key in (*shared, *counts)}}
        ],
        "subjects_with_several": stated["subjects_with_both"],
        "per_subject": [_subject_geometry(row, keys) for row in stated["per_subject"]],
    }


def _subject_geometry(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    tables = ("windows", "cohesion", "spread", "resultant")
    gone = [f"{key}_{table}" for key in keys for table in tables]
    return _without(row, *gone) | {
        table: [row[f"{key}_{table}"] for key in keys] for table in tables
    }


def _spread(stated: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {
        **_without(stated, *keys),
        "classes": [_without(one, *_labelled(one)) for one in _classes(stated, keys)],
        "per_subject": [
            {
                **_without(row, *_labelled(row)),
                "class_name": next(row[key] for key in _labelled(row)),
            }
            for row in stated["per_subject"]
        ],
    }


def _labelled(row: Mapping[str, Any]) -> list[str]:
    """The key of the name of the class."""
    return [key for key, value in row.items() if isinstance(value, str) and key not in _OTHER_TEXTS]


_OTHER_TEXTS = ("subject", "name")
