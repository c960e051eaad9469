"""pydantic-ai: Agent with plain tools."""

from desk import MODEL, QUESTION, ROUNDS, SYSTEM, TIMEOUT, count_voyages, search_knowledge
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits


def answer() -> str:
    provider = OpenAIProvider(openai_client=AsyncOpenAI(timeout=TIMEOUT))
    agent = Agent(
        OpenAIChatModel(MODEL, provider=provider),
        system_prompt=SYSTEM,
        tools=[count_voyages, search_knowledge],
    )
    return agent.run_sync(QUESTION, usage_limits=UsageLimits(request_limit=ROUNDS)).output


if __name__ == "__main__":
    print(answer())
