"""The loss as people call it, on a GPU: by kernels where a batch is large, and the same as ever."""

import pytest
import torch
from torch.nn.functional import normalize

from objectives.test_tiled import batch
from pacl.objectives import CrossBatchMemory, ObjectiveError, SubjectContrastiveLoss
from pacl.objectives.contrastive import TILED_FROM
from pacl.objectives.kernels import available, losses
from support.refusals import refused

pytestmark = pytest.mark.skipif(
    not (torch.cuda.is_available() and available(torch.device("cuda"))),
    reason="needs a GPU and triton",
)


@pytest.fixture
def launched(monkeypatch):
    """How often kernels were asked."""
    asked = []
    real = losses.triton_losses
    monkeypatch.setattr(
        "pacl.objectives.kernels.triton_losses",
        lambda *given, **more: asked.append(1) or real(*given, **more),
    )
    return asked


def on_gpu(windows, features=64):
    _, labels, subjects = batch(windows, 2, 9)
    rows = torch.randn(windows, features, generator=torch.Generator().manual_seed(0))
    return normalize(rows, dim=1).cuda(), labels.cuda(), subjects.cuda()


def value_and_slope(loss, embedded, labels, subjects):
    leaf = embedded.clone().requires_grad_()
    value = loss(leaf, labels, subjects)
    return value.detach(), *torch.autograd.grad(value, leaf)


def alike(given, loss, within):
    """The same in double precision by all pairs."""
    embedded, labels, subjects = given
    exact = SubjectContrastiveLoss(form=loss.form, tiled=False, without_positives="skip").cuda()
    if loss.memory is not None:
        exact.memory = CrossBatchMemory(loss.memory.windows, loss.memory.features).cuda()
        exact.memory.load_state_dict(loss.memory.state_dict())
    found = value_and_slope(loss, *given)
    expected = value_and_slope(exact, embedded.double(), labels, subjects)
    for mine, theirs in zip(found, expected, strict=True):
        gap = (mine.double() - theirs).norm() / theirs.norm()
        assert float(gap) < within


@pytest.mark.parametrize("form", ["log_sum", "mean_log"])
@pytest.mark.parametrize(("fast", "within"), [(False, 1e-5), (True, 1e-3)])
def test_large_batches_go_by_kernels(launched, form, fast, within):
    loss = SubjectContrastiveLoss(form=form, fast=fast, without_positives="skip").cuda()
    alike(on_gpu(TILED_FROM), loss, within)
    assert launched == [1]


def test_small_batches_go_by_all_pairs(launched):
    loss = SubjectContrastiveLoss(without_positives="skip").cuda()
    alike(on_gpu(256), loss, 1e-5)
    assert launched == []


def test_a_memory_makes_a_small_batch_large(launched):
    memory = CrossBatchMemory(8 * TILED_FROM, 64)
    loss = SubjectContrastiveLoss(memory=memory, without_positives="skip").cuda()
    given = on_gpu(512)
    loss(*given)
    alike(given, loss, 1e-5)
    assert len(launched) == 2


def test_half_precision_is_let_in(launched):
    embedded, *groups = on_gpu(TILED_FROM)
    loss = SubjectContrastiveLoss(without_positives="skip").cuda()
    with torch.autocast("cuda", torch.bfloat16):
        value = loss(embedded.bfloat16(), *groups)
    assert float(value) == pytest.approx(float(loss(embedded, *groups)), rel=0.01)
    assert launched == [1, 1]


def test_subjects_beyond_32_bits_are_refused_by_name():
    embedded, labels, subjects = on_gpu(TILED_FROM)
    loss = SubjectContrastiveLoss(without_positives="skip").cuda()
    with refused(ObjectiveError, "subjects", "4,294,967,"):
        loss(embedded, labels, subjects + 2**32)
