"""One network: trained on all cohorts but those left out, and evaluated on these."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pacl.af.beats import BeatLine, BeatSampler, beat_logits, train_beats
from pacl.af.networks import BeatNetwork, read_beat_network, write_beat_network
from pacl.atomic_write import atomic_write
from pacl.detect import Decoder
from pacl.settings import differences
from pacl.stored import as_read, read_json
from pacl.studies.beats.choose import LeftOut
from pacl.studies.beats.cohorts import BeatCohort, draw_weights
from pacl.studies.beats.judge import BeatScores, beat_scores
from pacl.studies.beats.recipe import BeatRecipe
from pacl.studies.errors import RunError
from pacl.studies.provenance import as_json
from pacl.studies.study_folder import other_study

NETWORK, SCORES = "network.safetensors", "scores.json"
NOT_AF = -20.0
"""Logit of a beat that is absent: it ends a run."""


@dataclass(frozen=True, slots=True)
class BeatFit:
    """A network to make: by which recipe, without which cohorts, from which seed."""

    recipe: BeatRecipe
    left_out: LeftOut
    seed: int

    @property
    def slug(self) -> str:
        """Name of its folder."""
        name = self.recipe.name.replace(" ", "-").replace(",", "")
        return f"{name}/{self.left_out.slug}/{self.seed}"

    def learn(self, cohorts: Sequence[BeatCohort], device: torch.device | str) -> BeatNetwork:
        """Train a network."""
        learned = [one for one in cohorts if one.name not in self.left_out.names]
        network = self.recipe.build(generator=torch.Generator().manual_seed(self.seed)).to(device)
        line = BeatLine.of((each for one in learned for each in one.records), network.reach, device)
        train_beats(
            network,
            line,
            BeatSampler(line, draw_weights(learned)),
            self.recipe.augmentations,
            self.recipe.training,
            torch.Generator(device).manual_seed(self.seed),
        )
        return network

    def judge(
        self, network: BeatNetwork, cohorts: Sequence[BeatCohort], device: torch.device | str
    ) -> dict[str, BeatScores]:
        """Evaluate a network on the cohorts it has not seen."""
        found = {}
        for one in cohorts:
            if one.name in self.left_out.names:
                line = BeatLine.of(one.records, network.reach, device)
                logits = beat_logits(network, line)
                there = line.present.cpu().numpy()
                af = Decoder().decode(np.where(there, logits, NOT_AF))
                found[one.name] = beat_scores(line, logits, af)
        return found

    def run(self, cohorts: Sequence[BeatCohort], target: Path, device: torch.device | str) -> None:
        """Train and evaluate; keep both in `target/SLUG`. Does nothing if that was done."""
        folder = target / self.slug
        if (folder / SCORES).exists():
            return
        folder.mkdir(parents=True, exist_ok=True)
        network = self.learn(cohorts, device)
        write_beat_network(network, folder / NETWORK)
        scores = self.judge(network, cohorts, device)
        stated = {"recipe": self.recipe.to_dict(), "seed": self.seed}
        atomic_write(
            folder / SCORES,
            as_json({**stated, "scores": {name: one.to_dict() for name, one in scores.items()}}),
        )

    def scores(self, target: Path) -> dict[str, BeatScores]:
        """Figures of the network."""
        return {name: BeatScores(**one) for name, one in self._stated(target)["scores"].items()}

    def network(self, target: Path) -> BeatNetwork:
        """The network, as it was kept."""
        self._stated(target)
        return read_beat_network(target / self.slug / NETWORK)

    def _stated(self, target: Path) -> dict[str, Any]:
        """What was kept of this fit; refuses a fit of another recipe."""
        folder = target / self.slug
        stated: dict[str, Any] = read_json(folder / SCORES, dict[str, Any], _refused)
        recipe = {"recipe": as_read(self.recipe.to_dict())}
        if differ := differences({"recipe": stated.get("recipe")}, recipe):
            raise other_study(folder, differ)
        return stated


def _refused(path: Path, what: str) -> RunError:
    return RunError(path, what, "remove its folder, and the same command makes it again")
