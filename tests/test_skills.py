"""Skills: playbooks that are found, that can't be escaped from, and whose code is right."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ToolError, WorkshopError
from harness.knowledge.fact_search import all_facts, ensure_scanned
from harness.knowledge.skillbox import (
    Skill,
    find_skills,
    get_skill,
    parse_skill,
    skills,
    use_skills,
)
from harness.model.tokens import count_tokens
from harness.tools.sandbox import run_js
from harness.tools.skills import list_skills, load_skill


def write(folder: Path, name: str, text: str | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.md"
    file.write_text(
        text or f"---\nname: {name}\ndescription: About {name}.\n---\nDo {name}.\n", "utf-8"
    )
    return file


def javascript(name: str) -> str:
    return "\n".join(re.findall(r"```js\n(.*?)```", get_skill(name).body, re.DOTALL))


def run(name: str, expression: str) -> Any:
    result = run_js(f'"use strict";\n{javascript(name)}\nreturn {expression};')
    assert result.ok, result.error
    return result.value


# What is shipped


def test_there_are_at_least_twelve_and_each_is_complete() -> None:
    assert len(skills()) >= 12
    for skill in skills():
        assert len(skill.body) > 400, skill.name
        assert skill.description.endswith("."), skill.name


def test_playbooks_name_only_columns_that_exist(home: Path) -> None:
    ensure_scanned()
    known = {fact["metadata"]["column"] for fact in all_facts(["column"])}
    for skill in skills():
        prose = re.sub(r"```.*?```", "", skill.body, flags=re.DOTALL)
        used = set(re.findall(r"`[^`]*`", prose))
        names = {n for code in used for n in re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", code)}
        assert names <= known, skill.name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How far is it from Rotterdam to Singapore in nautical miles?", "great-circle-distance"),
        ("What is the median delay?", "percentile-in-javascript"),
        ("average unit value weighted by quantity", "weighted-mean"),
        ("What is the cargo worth in dollars?", "money-in-cents"),
        ("How many active voyages are there?", "voyages-by-status"),
        ("Which carrier is late most often?", "late-arrivals"),
        ("the five largest vessels", "top-n-with-ties"),
        ("the coldest reefer", "reefer-containers"),
        ("voyages from NLRTM", "port-lookup"),
        ("is a TEU a ton?", "teu-and-units"),
        ("Where is the vessel now?", "latest-vessel-positions"),
        ("what percentage of the total", "share-of-total"),
        ("alliances", "carriers-and-alliances"),
        ("weight by HS code", "cargo-by-hs-code"),
    ],
)
def test_the_fitting_playbook_is_in_the_manifest(home: Path, question: str, name: str) -> None:
    assert name in [skill.name for skill in find_skills(question, 3)]


def test_great_circle_distance() -> None:
    leg = run("great-circle-distance", "great_circle(51.95, 4.14, 1.26, 103.82)")
    assert leg["km"] == pytest.approx(10_558, abs=1)
    assert leg["nautical_miles"] == pytest.approx(leg["km"] / 1.852)
    assert run("great-circle-distance", "great_circle(10, 20, 10, 20).km") == 0
    half = run("great-circle-distance", "great_circle(0, 0, 0, 180).km")
    assert half == pytest.approx(20_015, abs=1)
    short = run("great-circle-distance", "great_circle(0, 179.5, 0, -179.5).nautical_miles")
    assert short == pytest.approx(60.04, abs=0.01)  # across the date line, not around the world


def test_percentile_agrees_with_the_database(home: Path) -> None:
    from harness.databases.business import business

    rows = business().query("SELECT delay_hours FROM SUPPLYCHAIN.voyages", 1_000).rows
    values = json.dumps([row[0] for row in rows])
    for p in (0, 0.1, 0.5, 0.9, 0.95, 1):
        sql = f"SELECT PERCENTILE_CONT({p}) WITHIN GROUP (ORDER BY delay_hours) FROM voyages"
        expected = business().query(sql).rows[0][0]
        assert run("percentile-in-javascript", f"percentile({values}, {p})") == pytest.approx(
            expected
        )


@pytest.mark.parametrize(
    ("name", "expression", "value"),
    [
        ("percentile-in-javascript", "percentile([], 0.5)", None),
        ("percentile-in-javascript", "percentile([10, 9, 100], 0.5)", 10),
        ("weighted-mean", "weighted_mean([1, 3], [1, 3])", 2.5),
        ("weighted-mean", "weighted_mean([1, null, 5], [1, 9, null])", 1),
        ("weighted-mean", "weighted_mean([1], [0])", None),
        ("teu-and-units", 'convert(2, "nmi", "km")', 3.704),
        ("money-in-cents", "dollars(123456789)", "$1,234,567.89"),
        ("money-in-cents", "dollars(-5)", "-$0.05"),
        ("top-n-with-ties", "top_with_ties([[1], [3], [2], [2], [null]], 0, 2)", [[3], [2], [2]]),
        ("latest-vessel-positions", "[hours_to_go(100, 20), hours_to_go(9, 0)]", [5, None]),
        ("share-of-total", "share_of_total([1, 1, 1])", [33.4, 33.3, 33.3]),
        ("share-of-total", "share_of_total([0])", [None]),
        (
            "dates-and-the-snapshot",
            'hours_between("2026-06-30 12:00:00", "2026-07-01T13:00:00Z")',
            25,
        ),
        ("check-digits", "[is_valid_imo(9074729), is_valid_imo('IMO 9074728')]", [True, False]),
        (
            "check-digits",
            "['CSQU3054383', 'CSQU3054384', 'x'].map(is_valid_container)",
            [True, False, False],
        ),
    ],
)
def test_functions_of_playbooks(name: str, expression: str, value: Any) -> None:
    assert run(name, expression) == value


def test_all_functions_together_run_in_strict_mode() -> None:
    code = "\n".join(javascript(skill.name) for skill in skills())
    result = run_js(f'"use strict";\n{code}\nreturn typeof percentile;')
    assert result.value == "function", result.error
    for block in re.findall(r"(//[^\n]*\n(?://[^\n]*\n)*)?function", code):
        assert block, "every function says what it does"


def test_check_digits_of_the_data_are_right(home: Path) -> None:
    from harness.databases.business import business

    imos = business().query("SELECT imo FROM SUPPLYCHAIN.vessels", 100).rows
    boxes = business().query("SELECT container_no FROM SUPPLYCHAIN.containers", 50).rows
    assert run("check-digits", f"{json.dumps(imos)}.every(([n]) => is_valid_imo(n))")
    assert run("check-digits", f"{json.dumps(boxes)}.every(([n]) => is_valid_container(n))")


# Finding


def test_the_manifest_costs_the_same_with_two_hundred_skills(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    for i in range(200):
        write(folder, f"skill-{i}")

    def cost() -> int:
        return count_tokens("\n".join(skill.line for skill in find_skills("cargo in dollars", 3)))

    few = cost()
    with use_skills(folder):
        assert len(skills()) == 200
        many = cost()
    assert many <= few <= 200


def test_a_skill_taken_away_is_gone_and_an_edited_one_is_read_again(
    home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "skills"
    write(folder, "one")
    file = write(folder, "two")
    with use_skills(folder):
        assert [s.name for s in find_skills("about two", 5)] == ["two", "one"]
        file.write_text("---\nname: two\ndescription: Something else.\n---\nAnother body", "utf-8")
        assert get_skill("two").body == "Another body"
        file.unlink()
        assert [s.name for s in find_skills("about two", 5)] == ["one"]
        with pytest.raises(WorkshopError, match="no skill named 'two'"):
            get_skill("two")
    assert "one" not in [s.name for s in skills()]


def test_no_folder_and_no_words_are_no_skills(home: Path, tmp_path: Path) -> None:
    assert find_skills("  ") == [] and find_skills("x", 0) == []
    with use_skills(tmp_path / "nowhere"):
        assert skills() == [] and find_skills("anything") == []
        with pytest.raises(WorkshopError) as error:
            get_skill("anything")
        assert "empty" in error.value.hint


# Names and files


@pytest.mark.parametrize(
    "name",
    [
        "../skills/port-lookup",
        "../../README",
        "/etc/passwd",
        "port-lookup.md",
        "port-lookup\x00",
        "PORT-LOOKUP",
        "C:\\x",
        "",
        ".",
        "x" * 10_000,
    ],
)
def test_a_name_can_not_leave_the_folder(name: str) -> None:
    with pytest.raises(WorkshopError) as error:
        get_skill(name)
    assert "Nearest: " in error.value.hint
    assert len(str(error.value)) < 400


def test_a_link_out_of_the_folder_is_no_skill(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("---\nname: secret\ndescription: d\n---\nbody", "utf-8")
    folder = tmp_path / "skills"
    write(folder, "fine")
    try:
        (folder / "secret.md").symlink_to(secret)
    except OSError:
        pytest.skip("no symbolic links here")
    with use_skills(folder):
        assert [skill.name for skill in skills()] == ["fine"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no front matter", "front matter"),
        ("---\nname: x\ndescription: d\n", "front matter"),
        ("---\nname: x\njust words\n---\nbody", "key: value"),
        ("---\nname: y\ndescription: d\n---\nbody", "its name must be 'x'"),
        ("---\nname: ../x\ndescription: d\n---\nbody", "its name must be 'x'"),
        ("---\nname: x\n---\nbody", "description"),
        (f"---\nname: x\ndescription: {'d' * 201}\n---\nbody", "description"),
        ("---\nname: x\ndescription: d\n---\n \n", "body"),
        (f"---\nname: x\ndescription: d\n---\n{'b' * 20_000}", "body"),
    ],
)
def test_a_broken_file_is_named_with_its_fault(tmp_path: Path, text: str, fault: str) -> None:
    folder = tmp_path / "skills"
    write(folder, "fine")
    write(folder, "x", text)
    with use_skills(folder), pytest.raises(WorkshopError, match=r"x\.md is broken") as error:
        skills()
    assert fault in error.value.message


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    write(tmp_path / "skills", "x").write_bytes(b"\xff\xfe\x00binary")
    with use_skills(tmp_path / "skills"), pytest.raises(WorkshopError, match=r"x\.md is broken"):
        skills()


def test_front_matter_as_people_write_it() -> None:
    text = (
        '\ufeff---\r\nname: x\r\ndescription: "Goods: by code"\r\nauthor: us\r\n---\r\nBody: 1\r\n'
    )
    assert parse_skill(text, "x.md") == Skill("x", "Goods: by code", "Body: 1")


# The tools


def test_load_skill_shows_a_body_and_names_the_nearest(home: Path) -> None:
    answer = json.loads(load_skill("weighted-mean"))
    assert answer["name"] == "weighted-mean" and "function weighted_mean" in answer["body"]
    with pytest.raises(ToolError) as error:
        load_skill("weighted-means")
    assert "weighted-mean" in error.value.hint and error.value.kind == "failed"


def test_list_skills_shows_names_and_descriptions(home: Path) -> None:
    answer = json.loads(list_skills("distance", k=2))
    assert [sorted(skill) for skill in answer["skills"]] == [["description", "name"]] * 2
    assert answer["skills"][0]["name"] == "great-circle-distance"
