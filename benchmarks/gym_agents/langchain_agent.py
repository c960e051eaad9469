"""langchain on langgraph: create_agent with ChatOpenAI."""

from desk import MODEL, QUESTION, ROUNDS, SYSTEM, TIMEOUT, count_voyages, search_knowledge
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI


def answer() -> str:
    agent = create_agent(
        ChatOpenAI(model=MODEL, timeout=TIMEOUT, use_responses_api=False),
        [count_voyages, search_knowledge],
        system_prompt=SYSTEM,
    )
    # A round is two steps of the graph: the model, then the tools.
    asked = {"messages": [{"role": "user", "content": QUESTION}]}
    state = agent.invoke(asked, {"recursion_limit": 2 * ROUNDS + 1})
    return state["messages"][-1].content


if __name__ == "__main__":
    print(answer())
