"""The toolbox: cells run again, names taken, and which tools a question gets."""

import json

import pytest

from harness import TOOLS, ToolError, WorkshopError, register, retrieve_tools, standin
from harness.standin.schemas import schema_problem
from harness.tools.authority import offered
from harness.tools.toolbox import contract, contracts

pytestmark = pytest.mark.usefixtures("toolbox_kept")

# The toolbox


def plain(x: int = 0) -> str:
    """Say something."""
    return "x"


def cell(answer):
    """As a notebook's cell: each run makes the same function again."""

    @register(when="asked.", returns="'result' is the answer.")
    def cell_tool() -> str:
        """Answer something."""
        return answer

    return cell_tool


def test_running_a_cell_again_replaces_its_tool_in_its_place():
    cell("first")
    register(name="after_it")(plain)
    order = list(TOOLS)
    cell("second")
    assert json.loads(TOOLS["cell_tool"][0]())["result"] == "second"
    assert list(TOOLS) == order


def test_another_tools_name_is_refused_unless_one_says_replace():
    def run_sql(sql: str) -> str:
        """Mine."""
        return "mine"

    with pytest.raises(WorkshopError, match="already a tool named 'run_sql'"):
        register(run_sql)
    assert "mine" not in TOOLS["run_sql"][1]["function"]["description"].lower()
    register(run_sql, replace=True)
    assert json.loads(TOOLS["run_sql"][0](sql="x"))["result"] == "mine"


def test_a_name_is_free_again_once_it_was_taken_out():
    del TOOLS["run_sql"]

    @register
    def run_sql(sql: str) -> str:
        return "mine"

    assert contract("run_sql").fn is run_sql.__wrapped__


def test_register_gives_the_guarded_tool_back():
    tool = register(plain)
    assert TOOLS["plain"][0] is tool
    assert (tool.__name__, tool.__doc__, tool.__wrapped__) == ("plain", "Say something.", plain)
    assert json.loads(tool()) == {"status": "ok", "result": "x"}
    assert json.loads(tool(3)) == json.loads(tool(x=3))


def test_too_many_or_doubled_arguments_are_the_models_kind_of_error():
    tool = register(plain)
    with pytest.raises(ToolError, match="at most 1"):
        tool(1, 2)
    with pytest.raises(ToolError, match="'x' twice"):
        tool(1, x=2)
    with pytest.raises(ToolError, match="unknown parameter 'self'"):
        tool(**{"self": 1})


def test_a_contract_over_2_kb_registers_works_and_is_found_by_the_linter():
    from harness.tools.lint import lint

    tool = register(when="asked about weather. " + "very long " * 300)(plain)
    assert json.loads(tool())["status"] == "ok"
    assert "too_large" in [finding.code for finding in lint(tool.contract, [])]


# Which tools a question gets


def names(schemas):
    return [schema["function"]["name"] for schema in schemas]


def hundred_tools():
    def make(i):
        @register(name=f"tool_{i:03d}", when=f"case number {i}.", replace=True)
        def tool(x: int = 0) -> int:
            """Handle one of a hundred cases."""
            return i

    for i in range(100):
        make(i)


def test_the_order_is_the_toolboxs_whatever_was_asked():
    order = list(TOOLS)
    for query in ("how many voyages are delayed", "percentile of delays", "", "\ud800 x"):
        chosen = names(retrieve_tools(query))
        assert chosen == [name for name in order if name in chosen]
        assert chosen == names(retrieve_tools(query))


def test_always_on_tools_come_beside_the_k():
    always = [each.name for each in contracts() if each.always]
    assert always
    assert names(retrieve_tools("x", k=0)) == always
    assert len(retrieve_tools("x", k=3)) == len(always) + 3
    open_to_all = [each.name for each in contracts() if offered(each)]  # not those of other roles
    assert names(retrieve_tools("x", k=10_000)) == open_to_all
    with pytest.raises(WorkshopError, match="negative"):
        retrieve_tools("x", k=-1)


def test_only_limits_the_toolbox():
    assert names(retrieve_tools("x", only=("exec_js", "run_sql", "nowhere"))) == [
        name for name in TOOLS if name in ("exec_js", "run_sql")
    ]
    assert retrieve_tools("x", only=()) == []


def test_a_hundred_tools_give_k_and_the_api_takes_them():
    hundred_tools()
    always = [each.name for each in contracts() if each.always]
    chosen = retrieve_tools("case number 57", k=6)
    assert len(chosen) == len(always) + 6
    assert len(TOOLS) > 100
    with standin.script(["fine"]):
        from harness import chat

        assert chat([{"role": "user", "content": "x"}], chosen).choices[0].message.content


def test_a_tool_is_found_by_what_it_is_for():
    assert "exec_js" in names(retrieve_tools("compute the 95th percentile", k=2))
    assert "query_internal_kb" in names(retrieve_tools("how do I reset my API key?", k=2))
    assert "submit_support_ticket" in names(retrieve_tools("please report this bug", k=2))


def test_every_schema_of_ours_is_one_that_the_api_takes():
    for name, (_, schema) in TOOLS.items():
        assert schema_problem(schema["function"]["parameters"]) is None, name
        assert "anyOf" not in json.dumps(schema), name
