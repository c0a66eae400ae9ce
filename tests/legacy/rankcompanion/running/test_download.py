"""Downloads against a server on loopback that lies, breaks off and sends malicious archives."""

import contextlib
import gzip
import hashlib
import http.server
import io
import subprocess
import sys
import tarfile
import threading
import time
import types

import pooch
import pytest
import yaml

from conftest import real
from companion.legacy.rankcampaigns import campaigns, text
from companion.legacy.rankcampaigns import catalogue as catalogues
from companion.legacy.rankcompanion.running import download
from companion.legacy.rankstability.errors import DataError

LATEST = b"HITId\tWorkerId\n" + b"some judgments\n" * 200
GOOD = b"HITId\tWorkerId\n" + b"good judgments\n" * 200
COMMIT = "0" * 40
AT = f"/some/repo/{COMMIT}/an%20alysis/"
PART = "sntlevel-humaneval"


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def tar(members: dict[str, bytes | tarfile.TarInfo]) -> bytes:
    """An archive of files with these bytes, or of other members."""
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
    f"human/{PART}/analysis/ad-latest.csv": LATEST,
    f"human/{PART}/analysis/ad-good-raw-redup.csv": GOOD,
    f"human/{PART}/analysis/ad-sys-ranking-cs-en-z.csv": b"1 2 3\n",
    f"human/{PART}/scripts/evil.pl": b"not wanted",
    "human/other/analysis/ad-latest.csv": b"another part of the archive\n",
}


class Server(http.server.ThreadingHTTPServer):
    """Serves ``files[path]``: bytes; (status,); or (bytes, how many are sent, seconds held)."""

    files: dict[str, object]
    asked: list[str]
    held: threading.Event  # set at the end, so that an answer held back does not hold the test up


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        answer = self.server.files.get(self.path, (404,))
        if isinstance(answer, list):  # one answer per request, the last one for ever
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, bytes):
            answer = (answer, len(answer))
        if len(answer) == 1:
            self.send_error(answer[0])
            return
        body, sent, *pause = answer
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # the other side may stop
            self.wfile.write(body[:sent])
        if pause:
            self.wfile.flush()
            self.server.held.wait(pause[0])

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server():
    running = Server(("127.0.0.1", 0), Handler)
    running.files, running.asked, running.held = {}, [], threading.Event()
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.held.set()
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def root(server, tmp_path, monkeypatch):
    """An empty data root, a catalogue of three campaigns, and the loopback as the mirror."""
    both = {"ad-latest.csv": LATEST, "ad-good-raw-redup.csv": GOOD}
    files = {name: {"git_blob": blob(d), "bytes": len(d)} for name, d in both.items()}
    repository = {"repository": "some/repo", "commit": COMMIT, "folder": "an alysis"}
    archive = {
        "archive": "https://gone.example/~y/human.tar.gz",
        "part": PART,
        "files": list(files),
        "optional": ["ad-sys-ranking-*.csv"],
    }
    common = {"protocol": "DA", "format": "da", "folder": "human/analysis"}
    catalogue = {
        "pinned": {**common, "sources": [{**repository, "files": files}]},
        "loose": {**common, "folder": "loose", "sources": [archive]},
        "both": {**common, "folder": "both", "sources": [archive, {**repository, "files": files}]},
        "toy": {**common, "demo": True},
    }
    file = tmp_path / "catalogue.yaml"
    file.write_text(yaml.safe_dump(catalogue, sort_keys=False))
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setattr("companion.legacy.rankcampaigns.catalogue.CATALOGUE", file)
    monkeypatch.setattr(pooch.core, "time", types.SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setenv("RANKSTABILITY_DATA", str(data))
    monkeypatch.setenv("RANKSTABILITY_MIRROR", f"http://127.0.0.1:{server.server_port}")
    campaigns.catalogue.cache_clear()
    server.files = {f"{AT}ad-latest.csv": LATEST, f"{AT}ad-good-raw-redup.csv": GOOD}
    server.files["/human.tar.gz"] = tar(OFFICIAL)
    yield data
    campaigns.catalogue.cache_clear()


@pytest.fixture
def folder(root):
    """Where the files of the campaign ``pinned`` belong; not made yet."""
    return root / "human" / "analysis"


def everything(root) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


def test_files_at_a_pinned_commit_arrive_verified_and_are_not_asked_for_again(folder, server):
    lines = list(download.download("pinned"))
    assert (folder / "ad-latest.csv").read_bytes() == LATEST
    assert (folder / "ad-good-raw-redup.csv").read_bytes() == GOOD
    assert all("verified" in line and "git_blob" in line for line in lines) and len(lines) == 2
    asked = len(server.asked)
    assert list(download.download("pinned")) == [] and len(server.asked) == asked


def test_the_catalogue_is_listed_with_what_is_here(root, capsys):
    assert download.main(["--list"]) == 0
    rows = [line.split(maxsplit=2)[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["pinned", "-"] in rows and ["loose", "-"] in rows


def test_a_gzipped_copy_of_the_official_file_counts_as_the_file(folder, server):
    folder.mkdir(parents=True)
    (folder / "ad-latest.csv.gz").write_bytes(gzip.compress(LATEST))
    (folder / "ad-good-raw-redup.csv.gz").write_bytes(gzip.compress(GOOD))
    assert list(download.download("pinned")) == [] and not server.asked


def test_another_file_in_its_place_is_kept(folder):
    folder.mkdir(parents=True)
    (folder / "ad-latest.csv").write_bytes(b"mine\n")
    list(download.download("pinned"))
    assert (folder / "ad-latest.csv").read_bytes() == b"mine\n"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((LATEST, 1000), "broke off"),  # the connection ends early
        (LATEST[:1000], "wrong size"),  # a short file, honestly announced
        (LATEST.replace(b"some", b"evil", 1), "checksum differs"),  # as long, but another
        ((404,), "the host answers 404"),
        ((429,), "the host answers 429"),  # asked too often: a later try may be answered
        ((499,), "the host answers 499"),
        ((500,), "the host answers 500"),
        ((503,), "the host answers 503"),
    ],
)
def test_a_bad_answer_leaves_nothing_and_says_how_to_go_on(root, folder, server, answer, words):
    server.files[f"{AT}ad-latest.csv"] = answer
    with pytest.raises(DataError) as caught:
        list(download.download("pinned"))
    message = str(caught.value)
    assert words in message and f"{AT}ad-latest.csv" in message
    assert str(folder / "ad-latest.csv") in message  # where to place it
    assert f"bytes {len(LATEST)}" in message and blob(LATEST) in message
    assert everything(root) == {"human", "human/analysis", "human/analysis/ad-good-raw-redup.csv"}
    asked = server.asked.count(f"{AT}ad-latest.csv")
    assert asked == (1 if answer in ((404,), (499,)) else download.TRIES)
    server.files[f"{AT}ad-latest.csv"] = LATEST  # the next run completes it
    list(download.download("pinned"))
    assert (folder / "ad-latest.csv").read_bytes() == LATEST
    assert server.asked.count(f"{AT}ad-good-raw-redup.csv") == 1


def test_a_transfer_that_breaks_off_is_started_again(folder, server):
    server.files[f"{AT}ad-latest.csv"] = [(LATEST, 700), (503,), LATEST]
    list(download.download("pinned"))
    assert (folder / "ad-latest.csv").read_bytes() == LATEST


@pytest.mark.parametrize(
    ("answer", "limits", "words"),
    [
        (LATEST + b"x" * 10_000_000, {}, f"larger than the expected {len(LATEST)} bytes"),
        (LATEST, {"TOTAL_TIME": 0.0}, "not complete after 0 seconds"),  # it drips
        ((LATEST, 700, 30.0), {"TIMEOUT": 0.2}, "no answer from the host"),  # it stalls
    ],
)
def test_a_transfer_without_end_is_ended(root, server, monkeypatch, answer, limits, words):
    for name, limit in limits.items():
        monkeypatch.setattr(download, name, limit)
    server.files[f"{AT}ad-latest.csv"] = answer
    with pytest.raises(DataError, match=words):
        list(download.download("pinned", tries=1))
    assert not list(root.rglob("*latest*"))


def test_leftovers_of_a_killed_run_do_no_harm(folder):
    (folder / ".partial-ad-latest.csv").mkdir(parents=True)
    (folder / ".partial-ad-latest.csv" / "tmp1").write_bytes(LATEST[:100])
    list(download.download("pinned"))
    assert not list(folder.glob(".partial*"))
    assert (folder / "ad-latest.csv").read_bytes() == LATEST


def test_a_killed_download_leaves_no_file_under_its_name_and_can_be_started_again(folder, server):
    """The process is killed while the server holds the second half back."""
    server.files[f"{AT}ad-latest.csv"] = (LATEST, len(LATEST) // 2, 30.0)
    code = (
        "import sys; from pathlib import Path; from companion.legacy.rankcampaigns import catalogue; "
        "from companion.legacy.rankcompanion.running import download; "
        "catalogue.CATALOGUE = Path(sys.argv[1]); download.main(['pinned'])"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(catalogues.CATALOGUE)])
    try:
        deadline = time.monotonic() + 20
        while not server.asked and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
    finally:
        process.kill()
        process.wait()
    assert server.asked and not list(folder.glob("ad-*"))
    server.files[f"{AT}ad-latest.csv"] = LATEST
    list(download.download("pinned"))
    assert (folder / "ad-latest.csv").read_bytes() == LATEST
    assert not list(folder.glob(".partial*"))


def test_no_host_at_all_is_said_once_and_no_folder_is_left(root, monkeypatch):
    monkeypatch.setenv("RANKSTABILITY_MIRROR", "http://127.0.0.1:9")
    with pytest.raises(DataError, match="no answer from the host"):
        list(download.download("pinned", tries=1))
    assert everything(root) == set()


def test_archive_without_a_published_checksum_is_recorded_and_held_to_it(root, server):
    lines = "\n".join(download.download("loose"))
    assert "no checksum of human.tar.gz was ever published; recorded" in lines
    store = root / "downloads" / "human.tar.gz"
    assert download.sha256(store) in lines
    record = (root / "checksums.tsv").read_text().splitlines()
    assert record[0] == "name\tsha256"
    assert any(download.sha256(store) in line and "gone.example" in line for line in record)
    here = {path.name for path in (root / "loose").iterdir()}
    assert here == {"ad-latest.csv", "ad-good-raw-redup.csv", "ad-sys-ranking-cs-en-z.csv"}
    assert (root / "loose" / "ad-latest.csv").read_bytes() == LATEST  # not the other part's

    asked = len(server.asked)
    assert list(download.download("loose")) == [] and len(server.asked) == asked

    # the host now sends other bytes: refused
    other = tar({**OFFICIAL, f"human/{PART}/more.txt": b"?"})
    server.files["/human.tar.gz"] = other
    store.unlink()
    (root / "loose" / "ad-latest.csv").unlink()
    with pytest.raises(DataError, match=r"wrong size|checksum differs"):
        list(download.download("loose"))
    assert not store.exists() and not (root / "loose" / "ad-latest.csv").exists()

    # and so is another archive placed by hand
    store.write_bytes(other)
    with pytest.raises(DataError, match=r"not the archive recorded.*delete its line"):
        list(download.download("loose"))
    assert not (root / "loose" / "ad-latest.csv").exists()


@pytest.mark.parametrize("sign", ["\t", "  "])
@pytest.mark.parametrize("more", [(), ("bytes",)], ids=len)  # as earlier versions wrote it
def test_a_recorded_checksum_is_read_between_tabs_or_blanks(root, sign, more):
    address = "https://gone.example/~y/human.tar.gz"
    rows = [("name", "sha256", *more), (address, "0" * 64, *("5" for _ in more)), ()]
    (root / "checksums.tsv").write_text("\n".join(map(sign.join, rows)))
    with pytest.raises(DataError, match=f"checksum differs .* expected {'0' * 64}"):
        list(download.download("loose"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"one", "wrong number of columns; found 1; expected name and sha256"),
        (b"a\tb\tc\td", "wrong number of columns; found 4; expected name and sha256"),
        (b"caf\xe9\t0", "wrong encoding"),
        (b"\0\t0", "NUL byte"),
    ],
)
def test_damaged_checksums_are_refused_with_their_line(root, line, words):
    (root / "checksums.tsv").write_bytes(b"name\tsha256\nx\t0\n" + line + b"\n")
    with pytest.raises(DataError, match=rf"checksums\.tsv, line 3: {words}"):
        list(download.download("loose"))
    assert everything(root) == {"checksums.tsv"}


def test_optional_files_are_kept_and_alone_are_no_reason_to_fetch_an_archive(root, server):
    list(download.download("loose"))
    latest, extra = root / "loose" / "ad-latest.csv", root / "loose" / "ad-sys-ranking-cs-en-z.csv"
    latest.unlink()
    extra.write_bytes(b"mine\n")
    assert list(download.download("loose")) == ["loose: 1 files unpacked from human.tar.gz"]
    assert latest.read_bytes() == LATEST and extra.read_bytes() == b"mine\n"
    extra.unlink()
    assert list(download.download("loose")) == ["loose: 1 files unpacked from human.tar.gz"]
    assert extra.read_bytes() == b"1 2 3\n"
    extra.unlink()
    (root / "downloads" / "human.tar.gz").write_bytes(b"damaged")
    with pytest.raises(DataError, match="not the archive recorded"):
        list(download.download("loose"))
    (root / "downloads" / "human.tar.gz").unlink()
    asked = len(server.asked)
    assert list(download.download("loose")) == [] and len(server.asked) == asked


def test_a_truncated_archive_unpacks_nothing_and_the_next_run_starts_anew(root, server):
    whole = tar(OFFICIAL)
    server.files["/human.tar.gz"] = whole[: len(whole) // 2]
    with pytest.raises(DataError, match="truncated or damaged archive"):
        list(download.download("loose"))
    assert not [path for path in root.rglob("*") if path.is_file()]
    server.files["/human.tar.gz"] = whole
    list(download.download("loose"))
    assert (root / "loose" / "ad-latest.csv").read_bytes() == LATEST


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    info.size = 5 if kind == tarfile.REGTYPE else 0
    return info


@pytest.mark.parametrize(
    "evil",
    [
        member("../../evil.csv"),
        member(f"human/{PART}/../../../ad-latest.csv"),
        member("/tmp/rankstability-evil.csv"),
        member(f"human/{PART}/escape", tarfile.SYMTYPE, "../../../.."),
        member(f"human/{PART}/hard", tarfile.LNKTYPE, "../../../../etc/passwd"),
        member(f"human/{PART}/device", tarfile.CHRTYPE),
        member(f"human/{PART}/pipe", tarfile.FIFOTYPE),
        member(f"human\\{PART}\\..\\..\\..\\evil.csv"),
        member(f"human/{PART}/ad-sys-ranking-x\\..\\..\\evil.csv"),  # on Windows
    ],
    ids=lambda info: info.name,
)
def test_a_malicious_member_leads_nowhere(root, server, evil):
    server.files["/human.tar.gz"] = tar({**OFFICIAL, evil.name: evil})
    before = everything(root.parent)
    list(download.download("loose"))
    made = everything(root.parent) - before
    assert {path.partition("/")[0] for path in made} == {"data"}
    here = {path.name for path in (root / "loose").iterdir()}
    assert here == {"ad-latest.csv", "ad-good-raw-redup.csv", "ad-sys-ranking-cs-en-z.csv"}
    assert (root / "loose" / "ad-latest.csv").read_bytes() == LATEST
    assert not any(path.is_symlink() for path in root.rglob("*"))


LATEST_IN = f"human/{PART}/analysis/ad-latest.csv"


@pytest.mark.parametrize(
    ("campaign", "archive", "problem"),
    [
        ("loose", {**OFFICIAL, LATEST_IN: member(LATEST_IN, tarfile.SYMTYPE, "other.csv")},
         "a link or folder in place of a file; found 'human/.*ad-latest.csv'"),
        ("loose", {**OFFICIAL, f"{PART}/ad-sys-ranking-x.csv":
                   member(f"{PART}/ad-sys-ranking-x.csv", tarfile.SYMTYPE, "/etc/passwd")},
         "a link or folder in place of a file; found '.*-x.csv'; expected a regular file"),
        ("loose", {f"human/{PART}/ad-latest.csv": LATEST}, r"no member ad-good-raw-redup\.csv"),
        ("both", {**OFFICIAL, LATEST_IN: b"else\n"}, "differs from the official file"),
    ],
)  # fmt: skip
def test_an_archive_without_what_is_wanted_is_refused(root, server, campaign, archive, problem):
    server.files = {"/human.tar.gz": tar(archive)}
    with pytest.raises(DataError, match=problem):
        list(download.download(campaign))
    assert not list((root / campaign).glob("*"))


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("", "file"),  # the data root
        ("downloads", "file"),
        ("downloads/human.tar.gz", "folder"),
        ("loose", "file"),
        ("loose", "link"),
        ("loose/ad-latest.csv", "folder"),
    ],
)
def test_what_is_in_the_way_is_named(root, place, kind):
    there = root / place
    root.rmdir()
    there.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        there.symlink_to("nowhere")
    else:
        (there.touch if kind == "file" else there.mkdir)()
    with pytest.raises(DataError, match=r"data.*: cannot be written \((Not|Is|File)") as error:
        list(download.download("loose"))
    assert place in error.value.file


def test_the_second_source_helps_where_the_first_host_is_gone(root, server):
    del server.files["/human.tar.gz"]
    said = "\n".join(download.download("both"))
    assert "fetched, verified" in said
    assert (root / "both" / "ad-good-raw-redup.csv").read_bytes() == GOOD


def test_an_archive_placed_by_hand_is_used(root, server):
    (root / "downloads").mkdir()
    (root / "downloads" / "human.tar.gz").write_bytes(tar(OFFICIAL))
    server.files.clear()
    list(download.download("loose"))
    assert (root / "loose" / "ad-good-raw-redup.csv").read_bytes() == GOOD and not server.asked


def test_command_line(root, server, capsys):
    assert download.main(["pinned", "loose", "toy"]) == 0
    assert "3 of 3 campaigns complete" in capsys.readouterr().out
    server.files.clear()
    assert download.main(["both", "pinned"]) == 0  # the archive is here, and so are the files
    (root / "loose" / "ad-latest.csv").unlink()
    (root / "downloads" / "human.tar.gz").unlink()
    assert download.main(["loose", "pinned"]) == 1
    shown = capsys.readouterr()
    assert "1 of 2 campaigns complete" in shown.out and "loose: " in shown.err
    with pytest.raises(DataError, match="did you mean pinned"):
        list(download.download("pined"))


def test_every_source_of_the_catalogue_can_be_checked_or_says_that_it_cannot():
    campaigns.catalogue.cache_clear()
    for name, entry in campaigns.catalogue().items():
        if entry.get("demo"):
            continue
        assert entry["sources"] and entry["licence"] and entry["citation"], name
        for source in entry["sources"]:
            if "repository" in source:
                assert len(source["commit"]) == 40, name
                for facts in source["files"].values():
                    assert len(facts["git_blob"]) == 40, name
            else:
                assert source["archive"].startswith("https://") and source["part"], name


@pytest.mark.parametrize(
    ("campaign", "nth", "file", "end"),
    [
        ("wmt10", 0, "data_RNK.csv", "/alopez/wmt-ranking/{}/raw_data/wmt10/data_RNK.csv"),
        ("llmfao", 1, "official/llmfao-golden.csv", "/dustalov/evalica/{}/llmfao-golden.csv"),
    ],
)
def test_a_file_has_the_address_of_its_commit(campaign, nth, file, end):
    source = campaigns.catalogue()[campaign]["sources"][nth]
    host = "https://raw.githubusercontent.com"
    assert download.url_of(source, file) == host + end.format(source["commit"])


RELEASES = ["wmt10", "wmt11", "wmt12", "wmt23-mqm", "wmt21-facebook-wikipedia", "wmt-slt23"]


@pytest.mark.parametrize("name", [*RELEASES, "llmfao"])
def test_the_files_of_a_release_are_those_of_the_catalogue(name):
    folder, sources = real(name), campaigns.catalogue()[name]["sources"]
    for file, facts in [entry for source in sources for entry in source["files"].items()]:
        here = campaigns.locate(folder, file)
        assert here is not None and text.git_blob(here) == facts["git_blob"], file
