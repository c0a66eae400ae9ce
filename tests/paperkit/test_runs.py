"""Runs as they are found on disk."""

import json

from paperkit import runs


def test_results_written_elsewhere_and_gone_are_looked_for_in_figures(tmp_path):
    saved = tmp_path / "executed" / "wmtx" / "01_tiny.status.json"
    saved.parent.mkdir(parents=True)
    saved.write_text(json.dumps({"status": "failed", "output_dir": str(tmp_path / "gone")}))
    (run,) = runs.read_runs(tmp_path / "executed", tmp_path / "figures")
    assert run.output_dir == tmp_path / "figures" / "wmtx" / "01_tiny"
    assert run.executed is None and run.status == "failed"
    kept = tmp_path / "elsewhere"
    kept.mkdir()
    saved.write_text(json.dumps({"status": "ok", "output_dir": str(kept)}))
    assert runs.read_runs(tmp_path / "executed", tmp_path / "figures")[0].output_dir == kept
