"""Frames of a comparison of systems, made up: who is good, and where, is chosen."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

METHODS = {
    "patient-aware": ("Patient-aware", "supervised", 0.9985),
    "supcon": ("SupCon", "supervised", 0.9983),
    "bce": ("BCE, then a probe", "supervised", 0.9984),
    "fine-tuned": ("Fine-tuned", "end-to-end", 0.9986),
    "simclr": ("SimCLR", "self-supervised", 0.985),
    "clocs": ("CLOCS", "self-supervised", 0.981),
    "pclr": ("PCLR", "self-supervised", 0.976),
    "pmq": ("PMQ-style", "self-supervised", 0.983),
    "byol": ("BYOL", "self-supervised", 0.97),
    "andersen": ("Andersen et al., CNN + LSTM", "end-to-end", 0.9978),
    "faust": ("Faust et al., BiLSTM", "end-to-end", 0.9969),
    "hrv": ("HRV + classifier", "features", 0.9981),
    "statistics": ("Boosted statistics", "features", 0.9988),
}
ON_NETWORKS = {"patient-aware-andersen": "andersen", "patient-aware-faust": "faust"}
"""Not among the usual ones; with each, the network that it is on."""

EVERY = METHODS | {
    name: (f"Patient-aware on {network}", "supervised", METHODS[network][2] + 0.0006)
    for name, network in ON_NETWORKS.items()
}
FEW = (1, 2, 4, 8, 16)
SEEDS = (1, 42, 102)
PATIENTS = 30


def write_made_rivals(
    folder: Path, methods: tuple[str, ...] = tuple(METHODS), seeds: tuple[int, ...] = SEEDS
) -> Path:
    """Write the five files; the first patient has no AF."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    results, pooled, differences, inflation = [], [], [], []

    def add(study: str, condition: str, dataset: str, name: str, auroc: float, seed: int) -> None:
        kind = EVERY[name][1]
        embeds = kind in ("supervised", "self-supervised")
        key = {"dataset": dataset, "study": study, "condition": condition, "method": name}
        found = 1 - (1 - auroc) * np.exp(random.normal(0, 0.05))
        own = np.clip(1 - (1 - auroc) * np.exp(random.normal(0, 1, PATIENTS)), 0, 1)
        own[0] = np.nan
        for at, value in enumerate(own):
            results.append(
                {
                    **key,
                    "seed": seed,
                    "fold": at % 5 if study == "main" else -1,
                    "patient": f"p{at:02}",
                    "windows": 200,
                    "af": 0 if at == 0 else 100,
                    "auroc": float(value),
                    "sensitivity": np.nan if at == 0 else 0.97,
                    "specificity": 0.98,
                    "logit_mean": 0.1,
                }
            )
        pooled.append(
            {
                **key,
                "seed": seed,
                "auroc": found,
                "auroc_low": 1 - 2.2 * (1 - auroc),
                "auroc_high": 1 - 0.4 * (1 - auroc),
                "auroc_subject_mean": float(np.nanmean(own)),
                "auroc_across_models": found - 0.001,
                "sensitivity": 0.97,
                "specificity": 0.98,
                "patients": PATIENTS,
                "windows": 200 * PATIENTS,
                "seconds": 20.0 if kind == "features" else 400.0 + seed,
                "device": "cpu" if kind == "features" else "cuda",
                "sr_cohesion": 0.8 if embeds else np.nan,
                "af_cohesion": 0.7 + 0.001 * seed if embeds else np.nan,
                "centroid_distance": 1.5 if embeds else np.nan,
                "centroid_similarity": -0.5 if embeds else np.nan,
                "compactness": 0.3 if embeds else np.nan,
                "subject_compactness": 0.2 if embeds else np.nan,
            }
        )

    for name in methods:
        auroc, kind = EVERY[name][2], EVERY[name][1]
        for seed in seeds:
            add("main", "", "ltafdb", name, auroc, seed)
            add("leak", "patients", "ltafdb", name, auroc, seed)
            for gone, much in (("ltafdb to afdb", 4), ("afdb to ltafdb", 9)):
                add("elsewhere", gone, gone.split()[-1], name, 1 - much * (1 - auroc), seed)
            if name in ("patient-aware", "bce", "hrv", "statistics"):
                add("leak", "windows", "ltafdb", name, 1 - 0.2 * (1 - auroc), seed)
                add("leak", "windows apart", "ltafdb", name, 1 - 0.5 * (1 - auroc), seed)
        for condition, measure, part in (
            ("windows", "all windows", 0.8),
            ("windows", "within patients", 0.4),
            ("windows apart", "all windows", 0.5),
            ("windows apart", "within patients", 0.2),
        ):
            if name in ("patient-aware", "bce", "hrv", "statistics"):
                inflation.append(
                    {
                        "dataset": "ltafdb",
                        "condition": condition,
                        "method": name,
                        "measure": measure,
                        "estimate": part * (1 - auroc),
                        "low": 0.0001,
                        "high": 0.003,
                        "p": 0.001,
                    }
                )
        add("labels", "all patients", "ltafdb", name, auroc, seeds[0])
        for few in FEW:
            worse = (16 / few) ** (0.3 if kind == "self-supervised" else 0.9) * 1.6
            add("labels", f"{few} patient{'s' * (few > 1)}", "ltafdb", name,
                max(1 - worse * (1 - auroc), 0.6), seeds[0])  # fmt: skip
        for reference in ("patient-aware", "statistics", ON_NETWORKS.get(name)):
            if name == reference or reference not in methods:
                continue
            for study, condition, dataset in (
                ("main", "", "ltafdb"),
                ("elsewhere", "ltafdb to afdb", "afdb"),
                ("elsewhere", "afdb to ltafdb", "ltafdb"),
                ("labels", "1 patient", "ltafdb"),
                ("labels", "4 patients", "ltafdb"),
            ):
                for measure in ("all windows", "within patients"):
                    less = auroc - EVERY[reference][2]
                    differences.append(
                        {
                            "dataset": dataset,
                            "study": study,
                            "condition": condition,
                            "method": name,
                            "reference": reference,
                            "measure": measure,
                            "estimate": less,
                            "low": less - 0.0004 - 0.3 * abs(less),
                            "high": less + 0.0004 + 0.3 * abs(less),
                            "p": 0.0001 if abs(less) > 0.0007 else 0.3,
                        }
                    )
    for frame, rows in (
        ("results", results),
        ("pooled", pooled),
        ("differences", differences),
        ("inflation", inflation),
    ):
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{frame}.parquet")
    about = {
        name: {
            "title": EVERY[name][0],
            "kind": EVERY[name][1],
            "trials": [{"lr": 0.001}, {"lr": 0.003}],
            "chosen": {"ltafdb": [0, 1, 1, 1, 0], "afdb": 1},
        }
        for name in methods
    }
    (folder / "methods.json").write_text(json.dumps(about))
    return folder
