"""A system that always says the same."""

from dataclasses import dataclass

import numpy as np

from pacl.registry import Entry, NoSettings


@dataclass(frozen=True)
class Fitted:
    value: float

    def logit(self, windows):
        return np.full(len(windows), self.value)

    def embed(self, windows):
        return None

    def probed(self, windows):
        return None


class Constant:
    name, title, kind = "constant", "Always the same", "features"
    trials = ({"value": 0.0}, {"value": 1.0})

    def fit(self, learn, settings):
        return Fitted(settings["value"])


ENTRY = Entry("constant", lambda settings: Constant(), NoSettings, "always the same")
