"""The detector as the field judges one, out of fold.

    python benchmarks/weights_rhythm.py MADE RECORDINGS

MADE is what `pacl weights RECORDINGS -o MADE` left. What `pacl evaluate-rhythm RECORDINGS` prints,
but each patient is judged by the fold that had not seen them, in both modes.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import torch

from pacl.axes import Array, Float32, Float64
from pacl.cli.evaluate_rhythm import intervals_of
from pacl.cli.evaluate_rhythm_text import print_evaluation
from pacl.detect import Detector, Mode
from pacl.detect.scoring import Agreement, RhythmEvaluation, recording_agreement
from pacl.detect.window_judge import WindowJudge
from pacl.evaluation import Probe
from pacl.export import Weights, variation_of
from pacl.models import Encoder
from pacl.records import open_records
from pacl.studies import RunFolder
from pacl.studies.weights import NAME
from pacl.studies.weights.recipe import FOLDS


@dataclass(frozen=True)
class FoldScorer:
    """What `WindowScorer` is, by the weights of one fold."""

    weights: Weights
    encoder: Encoder
    probe: Probe
    name: str = "out of fold"

    @property
    def window_beats(self) -> int:
        """Beats of a window."""
        return self.weights.window_beats

    def logits(self, rr_ms: Float32[Array, "window beat"]) -> Float64[Array, "window"]:
        """Calibrated and bounded as those of the weights that ship."""
        with torch.no_grad():
            parts = torch.split(torch.from_numpy(rr_ms), 1024)
            pooled = torch.cat([self.encoder(part).pooled for part in parts]).numpy()
        logit = self.weights.platt.logit(self.probe.logit(pooled))
        return self.weights.steady.bound(logit, variation_of(rr_ms))

    def logit(self, rr_ms: Float32[Array, "beat"]) -> float:
        """Of one window."""
        return float(self.logits(rr_ms[None])[0])


def main() -> None:
    """Judge all recordings, each by its fold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("made", type=Path)
    parser.add_argument("recordings", type=Path)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    weights = Weights.read(chosen.made / f"{NAME}.safetensors")
    detector_of: dict[str, Detector] = {}
    for fold in range(FOLDS):
        run = RunFolder.open(chosen.made / "runs" / f"fold-{fold}")
        detector, scorer = Detector(NAME), FoldScorer(weights, run.encoder(), run.probe())
        detector.judge = WindowJudge(scorer)  # type: ignore[arg-type]
        tested = json.loads((run.path / "split.json").read_text())["parts"]["test"]
        detector_of |= dict.fromkeys(tested, detector)
    reader = open_records(chosen.recordings)
    modes: tuple[Mode, ...] = ("look-ahead", "causal")
    for mode in modes:
        patients: dict[str, Agreement] = {}
        for record_id in reader.record_ids:
            record = reader.read(record_id)
            detection = detector_of[record.patient_id].detect(record, mode)
            found = recording_agreement(record, detection)
            patients[record.patient_id] = patients.get(record.patient_id, Agreement()) + found
        found_in = RhythmEvaluation(
            mode, "left-out", "left-out", "out of fold", "balanced", None, patients, ()
        )
        print_evaluation(found_in, found_in.scores(), intervals_of(found_in))
        print(flush=True)


if __name__ == "__main__":
    main()
