"""Downloads from a server on loopback that lies, breaks off and sends malicious archives."""

import contextlib
import gzip
import hashlib
import http.server
import io
import tarfile
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import pooch
import pytest
import yaml

from rankstability.errors import DataError
from rankstability.io import catalogue, download, official
from rankstability.io.formats.files import git_blob

ALL_ROWS = b"HITId\tWorkerId\n" + b"some judgments\n" * 200
RANKED = b"HITId\tWorkerId\n" + b"good judgments\n" * 200
COMMIT = "0" * 40
AT = f"/some/repo/{COMMIT}/an%20alysis/"
PART = "sntlevel-humaneval"


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def tar(members: dict[str, bytes | tarfile.TarInfo]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, member in members.items():
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member, io.BytesIO(b"x" * member.size))
                continue
            info = tarfile.TarInfo(name)
            info.size = len(member)
            archive.addfile(info, io.BytesIO(member))
    return out.getvalue()


OFFICIAL = {
    f"human/{PART}/analysis/ad-latest.csv": ALL_ROWS,
    f"human/{PART}/analysis/ad-good-raw-redup.csv": RANKED,
    f"human/{PART}/analysis/ad-sys-ranking-cs-en-z.csv": b"1 2 3\n",
    f"human/{PART}/scripts/evil.pl": b"not wanted",
    "human/other/analysis/ad-latest.csv": b"another part of the archive\n",
}


class Server(http.server.ThreadingHTTPServer):
    """Serves ``files[path]``: bytes; (status,); or (bytes, how many are sent)."""

    files: dict[str, object]
    asked: list[str]


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        answer = self.server.files.get(self.path, (404,))
        if isinstance(answer, list):  # one answer per request, the last one again and again
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, bytes):
            answer = (answer, len(answer))
        if len(answer) == 1:
            self.send_error(answer[0])
            return
        body, sent = answer
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body[:sent])

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server(("127.0.0.1", 0), Handler)
    running.files, running.asked = {}, []
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def root(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make an empty data root, a catalogue of four campaigns, and the loopback the mirror."""
    both = {"ad-latest.csv": ALL_ROWS, "ad-good-raw-redup.csv": RANKED}
    files = {name: {"git_blob": blob(data), "bytes": len(data)} for name, data in both.items()}
    repository = {"repository": "some/repo", "commit": COMMIT, "folder": "an alysis"}
    archive = {
        "archive": "https://gone.example/~y/human.tar.gz",
        "part": PART,
        "files": list(files),
        "optional": ["ad-sys-ranking-*.csv"],
    }
    common = {"title": "t", "protocol": "DA", "format": "wmt_da", "year": 2018,
              "licence": "CC-BY-NC-SA-4.0", "citation": "c"}  # fmt: skip
    entries = {
        "pinned": {**common, "folder": "human/analysis"},
        "loose": {**common, "folder": "loose"},
        "both": {**common, "folder": "both"},
        "columns": {**common, "folder": "columns", "format": "mqm_columns", "files": ["made.csv"]},
        "toy": {**common, "demo": True},
    }
    sources = {
        "pinned": [{**repository, "files": files}],
        "loose": [archive],
        "both": [archive, {**repository, "files": files}],
        "columns": [{**repository, "files": files, "convert": "make.py"}],
    }
    for name, content in (("CATALOGUE", entries), ("SOURCES", sources)):
        file = tmp_path / f"{name}.yaml"
        file.write_text(yaml.safe_dump(content, sort_keys=False))
        monkeypatch.setattr(catalogue, name, file)
    (tmp_path / "data" / "convert").mkdir(parents=True)
    monkeypatch.setattr(download, "repository_root", lambda: tmp_path)
    monkeypatch.setattr(pooch.core, "time", types.SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setenv("RANKSTABILITY_DATA", str(tmp_path / "root"))
    monkeypatch.setenv("RANKSTABILITY_MIRROR", f"http://127.0.0.1:{server.server_port}")
    catalogue.read_catalogue.cache_clear()
    catalogue.read_sources.cache_clear()
    server.files = {f"{AT}ad-latest.csv": ALL_ROWS, f"{AT}ad-good-raw-redup.csv": RANKED}
    server.files["/human.tar.gz"] = tar(OFFICIAL)
    yield tmp_path / "root"
    catalogue.read_catalogue.cache_clear()
    catalogue.read_sources.cache_clear()


def everything(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_files_at_a_pinned_commit_are_verified_and_not_asked_for_again(
    root: Path, server: Server
) -> None:
    lines = list(download.download("pinned"))
    folder = root / "human" / "analysis"
    assert (folder / "ad-latest.csv").read_bytes() == ALL_ROWS
    assert git_blob(folder / "ad-good-raw-redup.csv") == blob(RANKED)
    assert len(lines) == 3
    assert "CC-BY-NC-SA-4.0" in lines[0]  # the licence is shown first
    asked = len(server.asked)
    assert len(list(download.download("pinned"))) == 1
    assert len(server.asked) == asked


def test_a_copy_that_is_packed_counts_as_the_file_and_another_file_is_kept(
    root: Path, server: Server
) -> None:
    folder = root / "human" / "analysis"
    folder.mkdir(parents=True)
    (folder / "ad-latest.csv.gz").write_bytes(gzip.compress(ALL_ROWS))
    (folder / "ad-good-raw-redup.csv").write_bytes(b"mine\n")
    list(download.download("pinned"))
    assert not server.asked
    assert (folder / "ad-good-raw-redup.csv").read_bytes() == b"mine\n"


@pytest.mark.parametrize(
    "answer",
    [
        (ALL_ROWS, 1000),  # the connection ends early
        ALL_ROWS[:1000],  # a short file, honestly announced
        ALL_ROWS + b"x",
        ALL_ROWS.replace(b"some", b"evil", 1),  # as long, but another
        (404,),
        (429,),
        (500,),
    ],
)
def test_a_bad_answer_leaves_nothing_and_says_how_to_go_on(
    root: Path, server: Server, answer: object
) -> None:
    server.files[f"{AT}ad-latest.csv"] = answer
    with pytest.raises(DataError) as error:
        list(download.download("pinned"))
    assert error.value.code == "cannot_be_fetched"
    assert error.value.file == str(root / "human" / "analysis" / "ad-latest.csv")
    assert f"{AT}ad-latest.csv" in str(error.value) and blob(ALL_ROWS) in str(error.value)
    assert everything(root) == {"human/analysis/ad-good-raw-redup.csv"}


def test_a_second_try_may_help_but_not_after_a_refusal(root: Path, server: Server) -> None:
    server.files[f"{AT}ad-latest.csv"] = [(503,), ALL_ROWS[:10], ALL_ROWS]
    list(download.download("pinned"))
    assert server.asked.count(f"{AT}ad-latest.csv") == 3
    (root / "human" / "analysis" / "ad-latest.csv").unlink()
    server.files[f"{AT}ad-latest.csv"] = (404,)
    with pytest.raises(DataError):
        list(download.download("pinned"))
    assert server.asked.count(f"{AT}ad-latest.csv") == 4


def test_a_host_that_does_not_answer_is_asked_for_one_file(
    root: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKSTABILITY_MIRROR", "http://127.0.0.1:9")
    with pytest.raises(download.UnreachableError):
        list(download.download("pinned", tries=1))
    assert everything(root) == set()


def test_an_archive_is_unpacked_and_its_checksum_recorded(root: Path, server: Server) -> None:
    lines = list(download.download("loose"))
    assert (root / "loose" / "ad-latest.csv").read_bytes() == ALL_ROWS
    assert everything(root) == {
        "checksums.tsv", "downloads/human.tar.gz", "loose/ad-latest.csv",
        "loose/ad-good-raw-redup.csv", "loose/ad-sys-ranking-cs-en-z.csv",
    }  # fmt: skip
    store = root / "downloads" / "human.tar.gz"
    recorded = (root / "checksums.tsv").read_text().splitlines()[1].split("\t")
    assert recorded[0] == "https://gone.example/~y/human.tar.gz"
    assert recorded[1] == hashlib.sha256(store.read_bytes()).hexdigest()
    assert any("recorded" in line for line in lines)
    (root / "loose" / "ad-latest.csv").unlink()
    store.write_bytes(tar({**OFFICIAL, "x": b"changed"}))
    with pytest.raises(DataError) as error:
        list(download.download("loose"))
    assert error.value.code == "another_archive"


def link(name: str, target: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


WANTED = f"human/{PART}/analysis/ad-latest.csv"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({WANTED: link(WANTED, "/etc/passwd", tarfile.SYMTYPE)}, "not_a_regular_file"),
        ({WANTED: link(WANTED, "/etc/passwd", tarfile.LNKTYPE)}, "not_a_regular_file"),
        ({WANTED: link(WANTED, "", tarfile.DIRTYPE)}, "not_a_regular_file"),
        ({WANTED: None}, "missing_member"),
    ],
)
def test_members_that_are_no_files_are_refused(
    root: Path, server: Server, change: dict, code: str
) -> None:
    members = {name: data for name, data in {**OFFICIAL, **change}.items() if data is not None}
    server.files["/human.tar.gz"] = tar(members)
    with pytest.raises(DataError) as error:
        list(download.download("loose"))
    assert error.value.code == code
    assert everything(root) == set()


def test_no_member_leads_out_of_the_folder(root: Path, server: Server) -> None:
    evil = {
        f"../../{PART}/ad-sys-ranking-de-en-z.csv": b"out",
        f"/tmp/{PART}/ad-sys-ranking-fi-en-z.csv": b"out",
    }
    server.files["/human.tar.gz"] = tar({**OFFICIAL, **evil})
    list(download.download("loose"))
    outside = [path for path in root.parent.rglob("ad-sys-ranking-*") if root not in path.parents]
    assert outside == []
    assert (root / "loose" / "ad-sys-ranking-de-en-z.csv").read_bytes() == b"out"


def test_a_damaged_archive_is_removed(root: Path, server: Server) -> None:
    server.files["/human.tar.gz"] = tar(OFFICIAL)[:-200]
    with pytest.raises(DataError) as error:
        list(download.download("loose"))
    assert error.value.code == "damaged_file"
    assert everything(root) == set()


def test_a_repository_helps_where_the_archive_is_gone(root: Path, server: Server) -> None:
    server.files["/human.tar.gz"] = (404,)
    list(download.download("both"))
    assert (root / "both" / "ad-latest.csv").read_bytes() == ALL_ROWS


def test_members_must_be_the_files_whose_checksums_are_known(root: Path, server: Server) -> None:
    server.files["/human.tar.gz"] = tar({**OFFICIAL, WANTED: b"another\n"})
    server.files[f"{AT}ad-latest.csv"] = (404,)
    with pytest.raises(DataError) as error:
        list(download.download("both"))
    assert error.value.code == "another_member"


def test_a_release_is_converted_by_its_script(root: Path, server: Server) -> None:
    script = root.parent / "data" / "convert" / "make.py"
    script.write_text("import sys\nopen(sys.argv[1] + '/made.csv', 'w').write('x')\n")
    lines = list(download.download("columns"))
    assert "converted" in lines[-1]
    assert (root / "columns" / "made.csv").read_text() == "x"
    (root / "columns" / "ad-latest.csv").unlink()
    asked = len(server.asked)
    list(download.download("columns"))  # what it makes is here
    assert len(server.asked) == asked
    (root / "columns" / "made.csv").unlink()
    script.write_text("raise SystemExit('not possible')\n")
    with pytest.raises(DataError) as error:
        list(download.download("columns"))
    assert (error.value.code, error.value.value) == ("conversion_failed", "not possible")


def test_several_campaigns_report_what_is_here(
    root: Path, server: Server, capsys: pytest.CaptureFixture
) -> None:
    server.files["/human.tar.gz"] = (404,)
    assert download.download_all(["pinned", "loose", "toy"]) == 1
    out, error = capsys.readouterr()
    assert "2 of 3 campaigns complete" in out
    assert "not here: loose, both, columns" in out
    assert "loose" in error
    with pytest.raises(DataError):
        list(download.download("unknown"))


def test_every_address_of_the_catalogue_is_pinned() -> None:
    for name, sources in catalogue.read_sources().items():
        for source in sources:
            if "archive" in source:
                assert source["archive"].startswith("https://"), name
                continue
            assert len(source["commit"]) == 40, name
            for file, facts in source["files"].items():
                assert len(facts["git_blob"]) == 40, (name, file)
                address = download.address_of(source, file)
                assert address.startswith(f"{download.RAW}/{source['repository']}/")


def test_the_files_that_printed_values_wait_for_are_listed(
    root: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(official, "repository_root", lambda: root.parent)
    assert download.list_deciding_files().empty
    folder = root.parent / "data" / "published"
    folder.mkdir()
    (folder / "paper.csv").write_text(
        "paper,cell,no_data\n"
        "paper,a,decided by human.tar.gz\n"
        "paper,b,decided by ad-latest.csv\n"
        "paper,c,decided by human.tar.gz and elsewhere.tar.gz\n"
    )
    expected = [("elsewhere.tar.gz", 1, False), ("human.tar.gz", 2, False)]
    assert list(download.list_deciding_files().itertuples(index=False, name=None)) == expected
    assert download.download_all(["loose", "both"]) == 0
    found = download.list_deciding_files().set_index("file")["found"]
    assert found.to_dict() == {"elsewhere.tar.gz": False, "human.tar.gz": True}
