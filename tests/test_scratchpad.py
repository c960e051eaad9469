"""The scratchpad: paths that stay inside, sizes, users, restarts."""

import json

import pytest

from harness import ToolError, scratch_append, scratch_read, scratch_write, session
from harness.databases.state import StateDatabase
from harness.tools import scratchpad
from harness.tools.scratchpad import normalise_path, scratch_list

pytestmark = pytest.mark.usefixtures("home")


def read(path):
    return json.loads(scratch_read(path=path))["content"]


def test_write_append_read_list():
    written = json.loads(scratch_write(path="drafts/a.sql", content="SELECT 1"))
    assert written == {"status": "ok", "path": "drafts/a.sql", "chars": 8}
    assert json.loads(scratch_append(path="./drafts//a.sql", content="\n-- ü🌊"))["chars"] == 14
    assert read("drafts\\a.sql") == "SELECT 1\n-- ü🌊"
    scratch_append(path="notes.md", content="new")
    scratch_write(path="drafts/a.sql", content="")
    assert read("drafts/a.sql") == ""
    assert json.loads(scratch_list())["files"] == [
        {"path": "drafts/a.sql", "chars": 0},
        {"path": "notes.md", "chars": 3},
    ]
    assert [f["path"] for f in json.loads(scratch_list(prefix="drafts/"))["files"]] == [
        "drafts/a.sql"
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "../x", "a/../../x", "a/..", "..", "~/x", "~root/x", "\\\\server\\share",
        "C:\\x", "c:x", "..\\x", "a/ .. /x", "", " ", ".", "./", "//", "a\nb", "a\x00b",
        "a\u2028b", "x" * 201, "a/" * 150 + "b", "what?", "a*b",
    ],
)  # fmt: skip
def test_paths_that_would_leave_or_cannot_be(path):
    for call in (
        lambda: scratch_write(path=path, content="x"),
        lambda: scratch_append(path=path, content="x"),
        lambda: scratch_read(path=path),
    ):
        with pytest.raises(ToolError, match="path") as caught:
            call()
        assert caught.value.kind == "bad_arguments"
        assert len(str(caught.value)) < 400
    assert json.loads(scratch_list())["files"] == []


@pytest.mark.parametrize(
    "path", ["...", "a..b", "a/..b/c", "tide 🌊.md", "ünï.sql", "-rf", "a'b;--"]
)
def test_paths_that_are_only_odd(path):
    scratch_write(path=path, content="x")
    assert read(path) == "x"


def test_equal_names_are_one_file():
    assert normalise_path("caf\u00e9") == normalise_path("cafe\u0301")
    assert normalise_path(" a/./b ") == "a/b"


def test_a_missing_file_names_those_that_are_there():
    scratch_write(path="b.md", content="x")
    with pytest.raises(ToolError, match=r"no scratch file 'a\.md'.*b\.md"):
        scratch_read(path="a.md")


def test_sizes_are_limited(monkeypatch):
    with pytest.raises(ToolError, match="the most is 100,000"):
        scratch_write(path="a", content="x" * 100_001)
    scratch_write(path="a", content="x" * 100_000)
    with pytest.raises(ToolError, match="100,001 characters"):
        scratch_append(path="a", content="y")
    assert read("a") == "x" * 100_000
    monkeypatch.setattr(scratchpad, "MAX_FILES", 2)
    scratch_write(path="b", content="x")
    scratch_write(path="b", content="again")
    with pytest.raises(ToolError, match="full"):
        scratch_write(path="c", content="x")


def test_each_user_has_files_of_their_own_and_they_outlive_the_process(home):
    for user in ("ana", "bob"):
        with session(user=user):
            scratch_write(path="plan.md", content=user)
    with session(user="bob"):
        assert read("plan.md") == "bob"
    rows = StateDatabase(home / "agent.sqlite").read("SELECT content FROM scratch_files")
    assert sorted(row[0] for row in rows) == ["ana", "bob"]


def test_a_read_only_session_writes_nothing():
    with session(read_only=True):
        for tool in (scratch_write, scratch_append):
            with pytest.raises(ToolError, match="only read"):
                tool(path="a", content="x")
        assert json.loads(scratch_list())["files"] == []
