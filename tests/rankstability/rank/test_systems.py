"""Rankings from scores of segments and from counts, with the tests that are asked for."""

import pytest

from rankstability import load, rank_systems, segment_scores
from rankstability.errors import DataError


def test_one_sided_p_values_are_not_corrected_over_unordered_pairs():
    with pytest.raises(DataError, match="one p-value for each pair"):
        rank_systems(segment_scores(load("demo-srpdc", "de-en")), test="greater", correction="holm")
