"""openai-agents: Agent and Runner, with chat completions."""

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from desk import MODEL, QUESTION, ROUNDS, SYSTEM, TIMEOUT, count_voyages, search_knowledge
from openai import AsyncOpenAI


def answer() -> str:
    set_tracing_disabled(True)
    agent = Agent(
        name="desk",
        instructions=SYSTEM,
        model=OpenAIChatCompletionsModel(MODEL, AsyncOpenAI(timeout=TIMEOUT)),
        tools=[function_tool(count_voyages), function_tool(search_knowledge)],
    )
    return Runner.run_sync(agent, QUESTION, max_turns=ROUNDS).final_output


if __name__ == "__main__":
    print(answer())
