"""GPU kernels say what the matrix of all pairs says in double precision.

They also run without a GPU, slowly: `TRITON_INTERPRET=1 pytest`, with triton installed.
"""

import pytest
import torch
from torch.nn.functional import normalize

from objectives.test_arrangement import CLASSES, WITHIN
from objectives.test_tiled import RULES, batch, both_forms, every_rule
from objectives.test_tiled_memory import dense, past
from pacl.objectives import POLICIES, ObjectiveError
from pacl.objectives.kernels import available, losses, triton_losses
from support.refusals import refused

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pytestmark = [
    pytest.mark.skipif(
        not available(DEVICE), reason="needs triton and a GPU, or triton and TRITON_INTERPRET=1"
    ),
    pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning"),
]


AS_THEY_ARE = "as_they_are"
"""Blocks of a test that is about them; on a GPU each choice takes a second or more to compile."""


@pytest.fixture(autouse=True)
def blocks(request, monkeypatch):
    """Small ones, so that few windows are in many tiles."""
    if AS_THEY_ARE not in request.node.name:
        monkeypatch.setattr(losses, "FORWARD", {256: losses.Blocks(16, 32, 4, 2)})
        monkeypatch.setattr(losses, "BACKWARD", {256: losses.Blocks(32, 16, 4, 2)})


def found(given, policy, mean_log=False, memory=None, tau=0.07, fast=False, weights=None):
    """Losses, their mask and gradients by kernels, and the same by all pairs in float64."""
    embedded, labels, subjects = (one.to(DEVICE) for one in given)
    nothing = (embedded[:0], labels[:0], subjects[:0])
    memory = nothing if memory is None else tuple(one.to(DEVICE) for one in memory)
    if weights is None:
        weights = torch.rand(len(labels), generator=torch.Generator().manual_seed(5))

    def by_all_pairs(rows, temperature):
        return dense(rows, labels, subjects, policy, temperature, mean_log, memory)

    def by_kernels(rows, temperature):
        past = (memory[0].float(), *memory[1:]) if len(memory[1]) else None
        return triton_losses(
            rows, labels, subjects, policy, temperature, mean_log=mean_log, memory=past, fast=fast
        )

    for dtype, compute in ((torch.float32, by_kernels), (torch.float64, by_all_pairs)):
        rows = embedded.to(dtype, copy=True).requires_grad_()
        temperature = torch.tensor(tau, dtype=dtype, device=DEVICE, requires_grad=True)
        values, valid = compute(rows, temperature)
        total = (weights.to(DEVICE, dtype) * values).sum()
        yield values.detach(), valid, *torch.autograd.grad(total, (rows, temperature))


def compare(*given, within=1e-5, **options):
    (*got, of_tau), (*expected, of_tau_expected) = found(*given, **options)
    assert torch.equal(got.pop(1), expected.pop(1))
    for one, other in zip(got, expected, strict=True):
        assert torch.isfinite(one).all()
        assert float((one - other).norm()) <= within * float(other.norm()) + 1e-7
    # Slopes of anchors may cancel in that of the temperature.
    assert abs(float(of_tau - of_tau_expected)) <= 10 * within * max(1, abs(float(of_tau_expected)))


@every_rule
@both_forms
def test_value_and_gradients_are_those_of_all_pairs(policy, mean_log):
    compare(batch(), policy, mean_log)


@every_rule
@both_forms
def test_a_memory_is_further_candidates(policy, mean_log):
    compare(batch(31), policy, mean_log, past(35))


@both_forms
def test_an_empty_memory_is_none(mean_log):
    given = [one.to(DEVICE) for one in batch(dtype=torch.float32)]
    policy, tau = POLICIES["subject-aware"], torch.tensor(0.1, device=DEVICE)
    nothing = tuple(one[:0] for one in given)
    got = [
        triton_losses(*given, policy, tau, mean_log=mean_log, memory=memory)
        for memory in (None, nothing)
    ]
    assert all(torch.equal(*pair) for pair in zip(*got, strict=True))


def sphere(windows, features, seed=3):
    drawn = torch.randn(windows, features, generator=torch.Generator().manual_seed(seed))
    return normalize(drawn.double(), dim=1)


@pytest.mark.parametrize("features", [3, 64, 128, 200])
def test_any_number_of_features_with_blocks_as_they_are(features):
    _, labels, subjects = batch(150, 2, 4)
    compare((sphere(150, features), labels, subjects), RULES["subject-aware"])


@pytest.mark.parametrize("policy", [RULES["supcon"], WITHIN, CLASSES], ids=["all", "own", "class"])
def test_means_and_any_spans_with_blocks_as_they_are(policy):
    _, labels, subjects = batch(300, 2, 9)
    compare((sphere(300, 64), labels, subjects), policy, True)


def test_many_columns_take_nothing_from_precision_with_blocks_as_they_are():
    """Tensor cores cut off what they add up: 4e-5 of it is gone after 4,096 columns."""
    windows, remembered = 64, 16384 if DEVICE.type == "cuda" else 512
    _, labels, subjects = batch(windows, 2, 4)
    drawn, memory = sphere(windows + remembered, 64), batch(remembered, 2, 4, seed=9)
    given = (drawn[:windows], labels, subjects)
    compare(given, RULES["subject-aware"], False, (drawn[windows:], *memory[1:]), within=5e-6)


@both_forms
@pytest.mark.parametrize("windows", [1, 2, 15, 16, 17, 33])
def test_any_number_of_windows(windows, mean_log):
    compare(batch(windows, 2, 3), RULES["subject-aware"], mean_log)
    compare(batch(windows, 2, 3), RULES["weighted"], mean_log, past(1))


@both_forms
@every_rule
@pytest.mark.parametrize(("classes", "subjects"), [(1, 1), (2, 1), (1, 9), (40, 2), (2, 40)])
def test_groups_of_any_size(policy, mean_log, classes, subjects):
    compare(batch(40, classes, subjects, seed=4), policy, mean_log)


@both_forms
def test_anchors_without_positives_have_no_loss_and_repel_nobody(mean_log):
    embedded, labels, subjects = batch(20)
    subjects = torch.arange(20)
    compare((embedded, labels, subjects), RULES["subject-aware"], mean_log)
    subjects[1:8], labels[1:8] = 0, 0
    compare((embedded, labels, subjects), RULES["subject-aware"], mean_log)


def test_the_order_of_windows_does_not_matter():
    embedded, labels, subjects = (one.to(DEVICE) for one in batch(seed=2, dtype=torch.float32))
    tau = torch.tensor(0.1, device=DEVICE)
    values, _ = triton_losses(embedded, labels, subjects, POLICIES["subject-aware"], tau)
    mixed = torch.randperm(len(labels), generator=torch.Generator().manual_seed(1)).to(DEVICE)
    again, _ = triton_losses(
        embedded[mixed], labels[mixed], subjects[mixed], POLICIES["subject-aware"], tau
    )
    torch.testing.assert_close(again, values[mixed])


@both_forms
@every_rule
def test_the_lowest_temperature(policy, mean_log):
    compare(batch(100, 2, 8), policy, mean_log, tau=0.01, within=5e-5)


@both_forms
@pytest.mark.parametrize("size", [1e-12, 1e9])
def test_gradients_of_any_size(mean_log, size):
    weights = size * torch.rand(41, generator=torch.Generator().manual_seed(5))
    (*_, got, _), (*_, expected, _) = found(batch(), RULES["weighted"], mean_log, weights=weights)
    assert float((got - expected).norm() / expected.norm()) < 1e-5
    (*_, got, slope), _ = found(batch(), RULES["weighted"], mean_log, weights=0 * weights)
    assert not got.any()
    assert float(slope) == 0.0


@both_forms
@pytest.mark.parametrize("name", ["subject-aware", "weighted"])
def test_fast_is_within_a_thousandth_with_blocks_as_they_are(name, mean_log):
    rows, (_, *of_batch), (_, *of_past) = sphere(140, 64, 6), batch(100, 2, 5), past(40)
    given, memory = (rows[:100], *of_batch), (rows[100:], *of_past)
    compare(given, RULES[name], mean_log, memory, fast=True, within=1e-3)


@both_forms
def test_slopes_of_a_sum_are_those_of_equal_weights(mean_log):
    rows, labels, subjects = (one.to(DEVICE) for one in batch(dtype=torch.float32))
    found = []
    for numbers in (torch.int64, torch.int32):
        for equal in (lambda values: values.sum(), lambda values: values @ torch.ones_like(values)):
            leaf, tau = rows.clone().requires_grad_(), torch.tensor(0.1, device=DEVICE)
            groups = (labels.to(numbers), subjects.to(numbers))
            values, _ = triton_losses(leaf, *groups, RULES["weighted"], tau, mean_log=mean_log)
            found += torch.autograd.grad(equal(values), leaf)
    assert all(torch.equal(found[0], one) for one in found[1:])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy, which the interpreter asks
def test_numbers_of_more_than_32_bits_are_no_silent_mistake():
    rows, labels, subjects = (one.to(DEVICE) for one in batch(dtype=torch.float32))
    rest = (POLICIES["subject-aware"], torch.tensor(0.1, device=DEVICE))
    for wrong in ((labels + 2**32, subjects), (labels, subjects - 2**31)):
        values, valid = triton_losses(rows, *wrong, *rest)
        assert values[valid].isnan().all()
        assert valid.any()
    rows[3] = torch.nan
    assert triton_losses(rows, labels, subjects, *rest)[0][3].isnan()


def test_twice_is_the_same_to_the_bit():
    first, second = (next(found(batch(), RULES["weighted"], memory=past())) for _ in range(2))
    assert all(torch.equal(*pair) for pair in zip(first, second, strict=True))


def test_under_compile_it_is_the_same():
    given = [one.to(DEVICE) for one in batch(dtype=torch.float32)]
    tau = torch.tensor(0.1, device=DEVICE)

    def total(embedded):
        values, valid = triton_losses(embedded, *given[1:], POLICIES["subject-aware"], tau)
        return (2 * values).sum() / valid.sum()

    compiled = torch.compile(total, backend="eager")
    torch.testing.assert_close(compiled(given[0]), total(given[0]))


def test_what_cannot_be_computed_is_refused():
    embedded, labels, subjects = (one.to(DEVICE) for one in batch(16))
    rest = (labels, subjects, POLICIES["subject-aware"], torch.tensor(0.1, device=DEVICE))
    single = embedded.float().requires_grad_()
    with refused(ObjectiveError, "torch.float64", "torch.float32"):
        triton_losses(embedded, *rest)
    with refused(ObjectiveError, 300, 256):
        triton_losses(embedded.new_zeros(16, 300).float(), *rest)
    with refused(ObjectiveError, "torch.func", "tiled=False"):
        torch.func.vmap(lambda one: triton_losses(one, *rest)[0])(single.expand(2, -1, -1))
    values, _ = triton_losses(single, *rest)
    (slope,) = torch.autograd.grad(values.sum(), single, create_graph=True)
    with refused(ObjectiveError, "tiled=False"):
        torch.autograd.grad(values.sum() + slope.square().sum(), single)
