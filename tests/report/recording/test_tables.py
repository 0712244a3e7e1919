from pacl.detect import NotJudged
from pacl.report.recording.tables import MOST_ROWS, not_judged_table
from pacl.report.wording import SPACE


def shown(table):
    return [[cell.shown.replace(SPACE, " ") for cell in row] for row in table.rows]


def test_stretches_in_the_time_of_the_clock(night):
    _, detection = night
    table = not_judged_table(detection, detection.not_judged)
    assert shown(table) == [["Thu 00:30:00", "Thu 01:00:00", "30 min 00 s", "too <noisy>"]]
    assert [head.text for head in table.heads] == ["Start", "End", "Duration", "Why"]


def test_the_longest_of_many_in_order_of_time(make):
    make_record, make_detection = make
    record = make_record([1000] * 10_000)
    stretches = [NotJudged(100.0 * at, 100.0 * at + 1 + at, "noise") for at in range(MOST_ROWS + 5)]
    table = not_judged_table(make_detection(record, [(0.0, 9.0, 0.8)]), stretches)
    assert len(table.rows) == MOST_ROWS
    assert shown(table)[0][:3] == ["0:08:20", "0:08:26", "6 s"]
    assert shown(table)[-1][2] == "35 s"
    assert table.caption.endswith("These are the 30 longest of 35.")
    assert table.heads[0].text == "Start (h:min:s)"
