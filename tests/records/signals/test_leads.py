"""Which signals are an ECG."""

import pytest

from pacl.records import FormatError, LayoutError
from pacl.records.signals import choose_leads
from pacl.records.signals.leads import check_decoded_size, is_ecg_name, is_other_name
from pacl.records.signals.units import millivolts_per
from support.refusals import refused

ECG = (
    *("I", "II", "III", "aVR", "aVL", "avf", "V1", "V6", "V", "MLI", "MLII", "MLIII", "ML2"),
    *("MV1", "MV2", "ECG", "ECG1", "EKG", "ECG I", "EKG-REF", "EEG EKG1-REF", "ECG lead 1", "CM5"),
    *("D3", "DII", "Lead I", "lead II", "ECG II", "ecg [uV]", "MCL1", "vx", "ECG1-ECG2", "CC5"),
)
OTHER = (
    *("EEG", "EEG Fpz-Cz", "C4-A1", "O2-M1", "Fp1", "EOG(L)", "E1-M2", "EMG chin", "EMG1", "RESP"),
    *("Resp Thorax", "PLETH", "ABP", "ART", "SpO2", "acc_x", "ACC", "HR", "ECG HR", "CVP", "PPG"),
    *("Flow", "Snore", "EDF Annotations", "EDA", "Position", "RR", "timestamp [ms]", "BP"),
)


@pytest.mark.parametrize("name", ECG)
def test_names_of_leads(name):
    assert is_ecg_name(name)
    assert not is_other_name(name)


@pytest.mark.parametrize("name", OTHER)
def test_names_of_other_signals(name):
    assert not is_ecg_name(name)
    assert is_other_name(name)


@pytest.mark.parametrize("name", ["chan 1", "ch2", "Channel 3", "signal 1", "voltage", "X"])
def test_names_that_say_nothing(name):
    assert not is_ecg_name(name)
    assert not is_other_name(name)


@pytest.mark.parametrize(
    ("names", "units", "wanted", "expected"),
    [
        (["MLII", "V5"], ["mV", "mV"], None, [0, 1]),
        (["II", "PLETH", "V"], ["mV", "NU", "mV"], None, [0, 2]),
        (["EEG C3-A2", "ECG", "EMG"], ["uV", "uV", "uV"], None, [1]),
        (["chan 1", "chan 2", "RESP"], ["mV", "mV", "mV"], None, [0, 1]),
        (["chan 1", "ECG 2"], ["mV", "mV"], None, [1]),
        (["ECG", "V"], ["", "mmHg"], None, [0]),
        (["I", "II"], ["mV", "mV"], "II", [1]),
        (["I", "ECG II"], ["mV", "mV"], "ii", [1]),
        (["I", "II", "V1"], ["mV", "uV", "V"], "3", [2]),
        (["1", "2"], ["mV", "mV"], "2", [1]),
        (["EEG", "X"], ["uV", "adu"], "x", [1]),
    ],
)
def test_choice(names, units, wanted, expected):
    assert choose_leads(names, units, wanted, "a.edf") == expected


@pytest.mark.parametrize(
    ("names", "units", "wanted", "facts"),
    [
        (["RESP", "ABP"], ["mV", "mmHg"], None, ("'RESP' [mV]", "'ABP' [mmHg]", "--lead")),
        (["I", "II"], ["mV", "mV"], "III", ("'III'", "1: 'I' [mV]", "--lead")),
        (["I", "II"], ["mV", "mV"], "3", ("'3'",)),
        (["I", "I"], ["mV", "mV"], "I", ("several",)),
        (["I", "ABP"], ["mV", "mmHg"], "ABP", ("mmHg", "--lead")),
        ([], [], None, ("--lead",)),
    ],
)
def test_no_choice_is_refused_with_what_there_is(names, units, wanted, facts):
    with refused(FormatError, "a.edf", *facts):
        choose_leads(names, units, wanted, "a.edf")


def test_units():
    found = [millivolts_per(unit) for unit in ("mV", "uV", "µV", "μV", "V", "nV", "microvolts")]
    assert found == [1, 1e-3, 1e-3, 1e-3, 1000, 1e-6, 1e-3]
    assert [millivolts_per(unit) for unit in ("", "mmHg", "g", "%", "NU")] == [None] * 5


def test_size():
    check_decoded_size(2, 2**28, "a")
    with refused(LayoutError, "--lead", 2_147_483_648):
        check_decoded_size(2, 2**28 + 1, "a")
