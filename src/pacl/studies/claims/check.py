"""All claims of the paper, tested on one cohort; and its central claim about cohesion."""

from dataclasses import replace

import numpy as np

from pacl.evaluation import FEWEST_SUBJECTS, RankTest, rank_test
from pacl.studies.claims.claim import Claim, Verdict
from pacl.studies.claims.detection import detection_claims
from pacl.studies.claims.geometry import THREE, geometry_claims
from pacl.studies.outcomes import Outcomes


def cohesion_claim(outcomes: Outcomes) -> Claim:
    """From seed to seed of a loss: AUROC goes with SR cohesion, not with global compactness.

    Within losses, because three losses that differ in both are three points, whatever the seeds.
    """
    each = [one for one in outcomes.each if one.loss in THREE and not one.collapsed]
    auroc, cohesion, compactness = (
        np.array([one.value(key) for one in each], dtype=np.float64)
        for key in ("detection.auroc", "pooled.classes.0.cohesion", "pooled.compactness")
    )
    losses = np.array([THREE.index(one.loss) for one in each], dtype=np.int64)
    generator = np.random.default_rng(0)
    with_cohesion = rank_test(auroc, cohesion, generator, losses)
    with_compactness = rank_test(auroc, compactness, generator, losses)
    verdict: Verdict = "inconclusive"
    if with_cohesion and with_compactness:
        cohesive = with_cohesion.rho > 0 and with_cohesion.p_value < 0.05
        separated = with_compactness.rho > 0 and with_compactness.p_value < 0.05
        against = with_cohesion.rho < 0 and with_cohesion.p_value < 0.05
        if cohesive and not separated:
            verdict = "holds"
        elif against or separated:
            verdict = "does not hold"
    return Claim(
        key="cohesion-governs",
        section="4",
        text="How consistently each patient is represented, not how cleanly the classes are "
        "separated overall, determines AUROC on unseen patients.",
        paper="the same order of three losses in AUROC and in SR cohesion",
        ours=f"rank correlation of AUROC, within losses, with SR cohesion {_text(with_cohesion)}, "
        f"with global compactness {_text(with_compactness)}",
        verdict=verdict,
        reason=f"Over {len(each)} runs that did not collapse, permuted within each loss: between "
        "losses there would be three points only. All runs share the same patients, so "
        "other patients may differ.",
        cohort=outcomes.title,
    )


def _text(found: RankTest | None) -> str:
    return "not defined" if found is None else f"{found.rho:+.2f} (p = {found.p_value:.3f})"


def check_claims(outcomes: Outcomes) -> tuple[Claim, ...]:
    """Test all claims; none where the study lacks one of the paper's three losses."""
    if not set(THREE) <= set(outcomes.losses):
        return ()
    claims = (*geometry_claims(outcomes), *detection_claims(outcomes), cohesion_claim(outcomes))
    if len(outcomes.patients) >= FEWEST_SUBJECTS:
        return claims
    few = f"{len(outcomes.patients)} patients are too few to decide any claim. "
    return tuple(
        replace(claim, verdict="inconclusive", reason=few + claim.reason) for claim in claims
    )
