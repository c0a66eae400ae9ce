"""Seeds of the parts of a computation."""

from rankstability.chance import child_seeds


def test_child_seeds_do_not_depend_on_how_many_are_asked_for():
    few, many = child_seeds(7, 2), child_seeds(7, 5)
    assert [g.integers(1 << 30) for g in few] == [g.integers(1 << 30) for g in many[:2]]
