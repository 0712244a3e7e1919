# ruff: noqa: RUF009 - distributions are frozen, so all populations may share the defaults
"""The population patients are drawn from: all numbers that shape a cohort, in one place.

Numbers follow IRIDIA-AF (files, episodes, burden, faults) and are between IRIDIA-AF and LTAFDB
where the two disagree (RR statistics, ectopy). `docs/figures/calibration.py` shows the fit. How
hard patients are follows LTAFDB, by the three figures of `benchmarks/yardstick.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from pacl.records.simulate.draws import LogNormal, LogUniform, Some, Uniform
from pacl.records.simulate.physiology import Ectopy, Fibrillation, Physiology, QrsDetector, Sinus

Part = TypeVar("Part", Sinus, Ectopy, Fibrillation, QrsDetector)
PREFIX = {
    Sinus: "sinus",
    Ectopy: "ectopy",
    Fibrillation: "fibrillation",
    QrsDetector: "detector",
}


@dataclass(frozen=True, slots=True)
class Population:
    """How patients differ, and how their recordings do.

    Names are those of `Sinus`, `Ectopy`, `Fibrillation` and `QrsDetector`, prefixed. `kinship` is
    the correlation between a patient's mean intervals in SR and in AF. The rest:

    Parameters
    ----------
    near_regular
        Share of patients whose AF is nearly regular, as IRIDIA-AF's record_098.
    near_regular_factor
        What their waits and refractory differences are multiplied by.
    near_regular_pace
        What their mean interval in AF is multiplied by: regular conduction is fast.
    records
        Patients with one, two, three and four recordings.
    files
        Recordings of one, two, three and four files.
    shortfall_s
        By how much a recording falls short of its days, per day.
    trimmed_s
        Length of the noisy tail that was cut.
    clock_error_s
        By how much the stated end of a recording is wrong besides.
    episodes
        Number of AF episodes in a recording, and in how many recordings.
    burden
        Share of a recording spent in AF.
    episode_most_h
        Bound on a single episode.
    episode_evenness, sinus_evenness
        Dirichlet weights by which time is divided among episodes and among the SR between them.
    sinus_first
        How much heavier the SR before the first episode weighs.
    starts_in_af, ends_in_af
        Chances of a recording to start or end in AF.
    """

    sinus_mean_ms: LogNormal = LogNormal(885.0, 0.180, 600.0, 1600.0)
    sinus_circadian: Uniform = Uniform(0.02, 0.14)
    sinus_latest_h: Uniform = Uniform(1.5, 5.0)
    sinus_slow: LogNormal = LogNormal(0.039, 0.95, 0.008, 0.25)
    sinus_slope: Uniform = Uniform(1.0, 1.5)
    sinus_mayer: LogNormal = LogNormal(0.008, 0.6, 0.001, 0.05)
    sinus_breath: LogNormal = LogNormal(0.007, 1.0, 0.0005, 0.05)
    sinus_breath_hz: Uniform = Uniform(0.18, 0.33)
    sinus_restless: Uniform = Uniform(0.1, 0.5)

    ectopy_atrial: LogNormal = LogNormal(0.0045, 2.3, 0.00005, 0.22)
    ectopy_atrial_coupling: Uniform = Uniform(0.55, 0.80)
    ectopy_atrial_reset: Uniform = Uniform(1.00, 1.20)
    ectopy_ventricular: LogNormal = LogNormal(0.001, 2.8, 0.000001, 0.15)
    ectopy_ventricular_coupling: Uniform = Uniform(0.50, 0.75)
    ectopy_scatter: Uniform = Uniform(0.01, 0.08)
    ectopy_clustering: LogNormal = LogNormal(2.0, 0.8, 0.1, 12.0)
    ectopy_patterns: Some = Some(0.30, LogUniform(1e-5, 2e-3))
    ectopy_trigeminy: float = 0.35
    ectopy_pattern_beats: LogNormal = LogNormal(30.0, 1.0, 4.0, 400.0)
    ectopy_pattern_ventricular: float = 0.6
    ectopy_runs: Some = Some(0.40, LogUniform(1e-5, 2e-3))
    ectopy_run_beats: LogNormal = LogNormal(10.0, 1.0, 3.0, 120.0)
    ectopy_run_share: Uniform = Uniform(0.5, 0.75)
    ectopy_run_scatter: Uniform = Uniform(0.05, 0.25)
    ectopy_pauses: Some = Some(0.12, LogUniform(1e-6, 2e-4))
    ectopy_pause_ms: LogNormal = LogNormal(1150.0, 0.33, 900.0, 6000.0)

    fibrillation_mean_ms: LogNormal = LogNormal(645.0, 0.225, 380.0, 1250.0)
    fibrillation_wait: LogNormal = LogNormal(0.185, 0.27, 0.12, 0.36)
    fibrillation_blur: Uniform = Uniform(0.02, 0.30)
    fibrillation_detour: Uniform = Uniform(0.05, 0.40)
    fibrillation_detour_share: Uniform = Uniform(0.1, 0.6)
    fibrillation_memory: Uniform = Uniform(0.0, 0.25)
    fibrillation_sway: LogNormal = LogNormal(0.035, 0.4, 0.01, 0.12)
    fibrillation_circadian: Uniform = Uniform(0.0, 0.12)
    fibrillation_spells: LogNormal = LogNormal(0.018, 1.8, 0.0, 0.38)
    fibrillation_spell_beats: LogNormal = LogNormal(280.0, 0.4, 60.0, 2000.0)
    fibrillation_spell_spread: LogNormal = LogNormal(0.12, 0.25, 0.05, 0.3)
    fibrillation_spell_pace: Uniform = Uniform(0.8, 1.15)
    near_regular: float = 0.01
    near_regular_factor: Uniform = Uniform(0.3, 0.55)
    near_regular_pace: float = 0.75
    kinship: float = 0.35

    detector_missed: LogNormal = LogNormal(0.00002, 3.4, 0.0, 0.03)
    detector_extra: LogNormal = LogNormal(0.00005, 2.2, 0.0, 0.02)
    detector_clustering: LogNormal = LogNormal(8.0, 0.7, 1.0, 60.0)
    detector_unblanked: float = 0.25
    detector_doubled: Some = Some(0.55, Uniform(0.05, 0.3))
    detector_losses_per_day: Some = Some(0.27, LogNormal(2.0, 1.5, 0.1, 100.0))
    detector_loss_s: LogNormal = LogNormal(4.0, 0.6, 2.2, 15.0)

    records: tuple[int, ...] = (139, 12, 0, 1)
    files: tuple[int, ...] = (103, 27, 16, 21)
    shortfall_s: Some = Some(0.55, LogUniform(30.0, 15_000.0))
    trimmed_s: Some = Some(0.33, LogUniform(1.0, 134_469.0))
    clock_error_s: Some = Some(0.3, Uniform(-11.0, 30.0))
    episodes: tuple[tuple[int, int], ...] = (
        *((1, 96), (2, 31), (3, 6), (4, 9), (5, 11)),
        *((6, 3), (7, 4), (10, 3), (11, 3), (12, 1)),
    )
    burden: LogNormal = LogNormal(0.16, 1.1, 0.0005, 0.94)
    episode_most_h: float = 54.5
    episode_evenness: float = 0.38
    sinus_evenness: float = 1.0
    sinus_first: float = 2.0
    starts_in_af: float = 0.15
    ends_in_af: float = 0.30

    def draw(self, generator: np.random.Generator) -> Physiology:
        """Draw one patient."""
        z_sinus, z_other = generator.standard_normal(2).tolist()
        z_af = self.kinship * z_sinus + (1 - self.kinship**2) ** 0.5 * z_other
        return Physiology(
            sinus=self._drawn(Sinus, generator, mean_ms=lambda: self.sinus_mean_ms.at(z_sinus)),
            ectopy=self._ectopy(generator),
            fibrillation=self._fibrillation(z_af, generator),
            detector=self._detector(generator),
        )

    def _drawn(
        self, part: type[Part], generator: np.random.Generator, **special: Callable[[], float]
    ) -> Part:
        """Draw the fields of a part in order, each from its distribution unless it is `special`."""
        prefix = PREFIX[part]
        values: dict[str, Any] = {}
        for name in (field.name for field in fields(part)):
            if name in special:
                values[name] = special[name]()
            else:
                values[name] = getattr(self, f"{prefix}_{name}").draw(generator)
        return part(**values)

    def _ectopy(self, generator: np.random.Generator) -> Ectopy:
        return self._drawn(
            Ectopy,
            generator,
            pattern_stride=lambda: 3 if generator.random() < self.ectopy_trigeminy else 2,
            pattern_ventricular=lambda: generator.random() < self.ectopy_pattern_ventricular,
        )

    def _fibrillation(self, z: float, generator: np.random.Generator) -> Fibrillation:
        regular = generator.random() < self.near_regular
        factor = self.near_regular_factor.draw(generator)
        spread, pace = (factor, self.near_regular_pace) if regular else (1.0, 1.0)
        mean_ms = pace * self.fibrillation_mean_ms.at(z)
        found = self._drawn(Fibrillation, generator, mean_ms=lambda: mean_ms)
        narrowed = {name: spread * getattr(found, name) for name in ("wait", "blur", "detour")}
        return replace(found, **narrowed)

    def _detector(self, generator: np.random.Generator) -> QrsDetector:
        unblanked = generator.random() < self.detector_unblanked
        doubled = self.detector_doubled.draw(generator)
        return self._drawn(
            QrsDetector,
            generator,
            blanking_ms=lambda: 0 if unblanked else 200,
            doubled=lambda: doubled if unblanked else 0.0,
        )
