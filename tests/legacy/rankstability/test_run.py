"""The command that runs a notebook, without the package that holds the notebooks."""

import sys

from companion.legacy.rankstability import run


def test_without_the_companion_the_command_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "companion.legacy.rankcompanion.running.commands", None)
    assert run.main() == 1
    said = capsys.readouterr()
    assert said.err.startswith("error: rankstability.run needs the package rankcompanion")
    assert not said.out


def test_the_command_ends_with_the_exit_code_of_the_notebook(monkeypatch):
    monkeypatch.setattr("companion.legacy.rankcompanion.running.commands.run", lambda: 3)
    assert run.main() == 3
