"""Tests here share bundled weights."""

from support.shared_judges import shared_judges as shared_judges
