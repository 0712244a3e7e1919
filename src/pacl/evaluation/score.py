"""The score of early stopping: a probe fitted on training windows, judged on validation ones."""

from pacl.evaluation.embed import embed_tensors
from pacl.evaluation.metrics import measure_auroc
from pacl.evaluation.probe import fit_probe
from pacl.models.network import Network
from pacl.training import LabelledWindows


class ProbeScore:
    """AUROC over the validation windows of a probe on the training windows' embeddings.

    It holds these two sets and no other, so that nothing can be chosen by the test patients.
    """

    def __init__(self, train: LabelledWindows, validation: LabelledWindows) -> None:
        self.train, self.validation = train, validation

    def __call__(self, encoder: Network) -> float:
        """Embed, fit, judge."""
        known, unseen = (
            embed_tensors(encoder, windows.tensors)[0].cpu().numpy()
            for windows in (self.train, self.validation)
        )
        probe = fit_probe(known, self.train.labels.cpu().numpy())
        return measure_auroc(self.validation.labels.cpu().numpy(), probe.logit(unseen))
