import pytest

from pacl.training import EarlyStopping


@pytest.mark.parametrize(
    ("scores", "best", "stopped_after"),
    [
        ([0.5, 0.6, 0.7, 0.8], 3, None),
        ([0.5, 0.6, 0.6, 0.6], 1, 4),  # as good is not better
        ([0.9, 0.1, 0.2], 0, 3),
        ([0.5, 0.4, 0.6, 0.5, 0.7, 0.1, 0.1], 4, 7),  # patience begins anew with each best
        ([-3.0, -4.0], 0, None),  # the first is the best, whatever it is
    ],
)
def test_stops_when_two_epochs_in_a_row_were_no_better(scores, best, stopped_after):
    stopping = EarlyStopping(patience=2)
    told = []
    for epoch, score in enumerate(scores):
        assert not stopping.exhausted
        told.append(stopping.update(epoch, score))
        if stopping.exhausted:
            assert epoch + 1 == stopped_after
            break
    else:
        assert stopped_after is None
    assert (stopping.best_epoch, stopping.best_score) == (best, scores[best])
    assert max(epoch for epoch, better in enumerate(told) if better) == best


def test_goes_on_where_it_was():
    stopping = EarlyStopping(patience=3)
    for epoch, score in enumerate([0.5, 0.7, 0.6]):
        stopping.update(epoch, score)
    again = EarlyStopping(**stopping.state_dict())
    assert again == stopping
    assert not again.update(3, 0.7)
    assert not again.exhausted
    assert not again.update(4, 0.7)
    assert again.exhausted
