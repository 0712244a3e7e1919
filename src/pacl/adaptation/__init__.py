"""One subject's own baseline, put to use: a classifier that learns a subject from a few minutes.

```
population      reference class at R           target class at T          log odds
                ....|.........................0.....|....
this subject    ............|.................0.....|....     their reference lies at r
adjusted        ....|.........................0.....|....     r is moved to R
```

Subjects differ in where their reference class lies on the axis of log odds. `SubjectPrior` is how
much, learned from other subjects. `posterior` combines it with the evidence of one subject, and
`adjusted` moves the log odds. Without evidence nothing changes. Needs numpy alone.
"""

from pacl.adaptation.evidence import (
    LEAST_SHARE,
    LIMIT,
    SURELY_REFERENCE,
    Correction,
    Evidence,
    Unlabelled,
)
from pacl.adaptation.learn import LEAST_SUBJECTS, LabelledStretches, learn_prior
from pacl.adaptation.posterior import Posterior, adjusted, posterior
from pacl.adaptation.prior import AdaptationError, EvidenceNoise, SubjectPrior

__all__ = [
    "LEAST_SHARE",
    "LEAST_SUBJECTS",
    "LIMIT",
    "SURELY_REFERENCE",
    "AdaptationError",
    "Correction",
    "Evidence",
    "EvidenceNoise",
    "LabelledStretches",
    "Posterior",
    "SubjectPrior",
    "Unlabelled",
    "adjusted",
    "learn_prior",
    "posterior",
]
