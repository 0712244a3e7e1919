"""The contrastive loss in few digits and at the lowest temperature."""

import pytest
import torch
from torch.nn.functional import normalize

from objectives.oracle import FORMS, NAMED, Anchors, unit
from pacl.objectives import SubjectContrastiveLoss

LABELS = torch.tensor([0, 0, 0, 1, 1, 1] * 2)
SUBJECTS = torch.arange(2).repeat_interleave(6)
FEATURES = 16
EMBEDDED = {
    "random": unit(12, FEATURES, 0),
    "identical": unit(1, FEATURES, 1).repeat(12, 1),
    # classes at opposite poles: nothing left to learn
    "solved": unit(1, FEATURES, 1) * (1 - 2 * LABELS[:, None]),
    # positives at opposite poles: nothing could be worse
    "antipodal": unit(1, FEATURES, 1) * (1 - 2 * (torch.arange(12) % 2)[:, None]),
    "nearly": normalize(unit(1, FEATURES, 1) + 1e-3 * unit(12, FEATURES, 2), dim=1),
}
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def compare(loss, embedded, found, policy, form, rel: float) -> None:
    """Value and gradients are finite and near those of the loops, for the very same input."""
    found.backward()
    tau = loss.temperature().item()
    exact = Anchors(embedded.detach().double(), LABELS, SUBJECTS, NAMED[policy], tau, form)
    assert found.item() == pytest.approx(exact.mean, rel=rel, abs=2e-5)
    assert embedded.grad.isfinite().all()
    expected = torch.from_numpy(exact.d_embedded)
    grad_error = (embedded.grad.double() - expected).abs().max().item()
    digits = torch.finfo(embedded.dtype).eps
    assert grad_error <= 2 * digits * expected.abs().max().item() + 1e-4
    log_tau = loss.temperature.log_tau.grad.item()
    assert log_tau == pytest.approx(exact.d_tau * tau, rel=1e-3, abs=2e-3)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("policy", NAMED)
@pytest.mark.parametrize("kind", EMBEDDED)
def test_at_the_floor(kind, policy, form, dtype):
    loss = SubjectContrastiveLoss(policy, 0.01, form=form)
    embedded = EMBEDDED[kind].clone().to(dtype).requires_grad_()
    found = loss(embedded, LABELS, SUBJECTS)
    assert found.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    compare(loss, embedded, found, policy, form, 1e-6)
    assert embedded.grad.dtype == dtype


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", EMBEDDED)
def test_under_autocast(kind, form, dtype):
    loss = SubjectContrastiveLoss("subject-aware", 0.01, form=form)
    embedded = EMBEDDED[kind].clone().to(dtype).requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = loss(embedded, LABELS, SUBJECTS)
    assert found.dtype == torch.float32
    # similarities as exact as without autocast: with bf16 products they would be off by 0.4
    compare(loss, embedded, found, "subject-aware", form, 1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_a_skipped_anchor_leaves_finite_gradients_in_halves(form):
    loss = SubjectContrastiveLoss("subject-aware", 0.01, form=form, without_positives="skip")
    embedded = EMBEDDED["antipodal"][:4].half().requires_grad_()
    loss(embedded, LABELS[:4], SUBJECTS[:4]).backward()
    assert loss.skipped == 1
    assert embedded.grad.isfinite().all()
    assert loss.temperature.log_tau.grad.isfinite()
