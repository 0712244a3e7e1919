"""Work in other processes, on this machine or on a cluster, behind one interface."""

from pacl.work.cluster import Cluster
from pacl.work.connection import ClusterError
from pacl.work.open import Here, in_order, open_workers
from pacl.work.processes import Processes
from pacl.work.tasks import BrokenTaskError, Ended, OnMessage, Say, Work, Workers

__all__ = [
    "BrokenTaskError",
    "Cluster",
    "ClusterError",
    "Ended",
    "Here",
    "OnMessage",
    "Processes",
    "Say",
    "Work",
    "Workers",
    "in_order",
    "open_workers",
]
