"""agno: Agent. It has no setting for rounds; its limit on calls is set to as many."""

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from desk import MODEL, QUESTION, ROUNDS, SYSTEM, TIMEOUT, count_voyages, search_knowledge


def answer() -> str:
    agent = Agent(
        model=OpenAIChat(id=MODEL, timeout=TIMEOUT),
        tools=[count_voyages, search_knowledge],
        instructions=SYSTEM,
        tool_call_limit=ROUNDS,
        telemetry=False,
    )
    return str(agent.run(QUESTION).content)


if __name__ == "__main__":
    print(answer())
