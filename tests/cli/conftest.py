"""Tests here share bundled weights and graphs."""

from support.shared_judges import shared_judges as shared_judges
from support.traced_once import traced_once as traced_once
