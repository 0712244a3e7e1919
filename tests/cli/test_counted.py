from pacl.cli.counted import counted


def test_one_is_no_plural():
    assert [counted(number, "epoch") for number in (0, 1, 2)] == ["0 epochs", "1 epoch", "2 epochs"]
