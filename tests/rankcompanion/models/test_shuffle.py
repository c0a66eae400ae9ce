"""Null campaigns: each way of shuffling is as likely, and what holds together stays together."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rankcompanion.models.truth import shuffle_blocks, shuffle_labels


def test_labels_are_shuffled_whole_within_units_and_every_way_is_as_likely():
    system, unit = np.array([0, 1, 2, 0, 1, 2, 1, 2]), np.array([0, 0, 0, 0, 0, 0, 1, 1])
    rng = np.random.default_rng(0)
    seen = Counter(tuple(map(int, shuffle_labels(system, unit, rng))) for _ in range(6000))
    assert len(seen) == 12  # 3! x 2!
    assert all(way[:3] == way[3:6] and set(way[6:]) == {1, 2} for way in seen)
    assert min(seen.values()) > 380


def test_blocks_change_places_within_their_worker():
    system, block = np.array([0, 0, 1, 2, 1, 0]), np.array([0, 0, 1, 2, 3, 4])
    worker = np.array([0, 0, 0, 0, 1, 1])
    rng = np.random.default_rng(0)
    seen = Counter(tuple(map(int, shuffle_blocks(system, block, worker, rng))) for _ in range(6000))
    assert len(seen) == 12
    for way in seen:
        assert way[0] == way[1] and sorted(way[1:4]) == [0, 1, 2] and sorted(way[4:]) == [0, 1]
