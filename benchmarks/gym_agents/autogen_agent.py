"""autogen: AssistantAgent of autogen-agentchat."""

import asyncio
import os

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from desk import MODEL, QUESTION, ROUNDS, SYSTEM, TIMEOUT, count_voyages, search_knowledge


async def _answer() -> str:
    client = OpenAIChatCompletionClient(
        model=MODEL,
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ["OPENAI_API_KEY"],
        timeout=TIMEOUT,
        model_info={
            "vision": False,
            "function_calling": True,
            "json_output": False,
            "structured_output": False,
            "family": "unknown",
        },
    )
    agent = AssistantAgent(
        "desk",
        model_client=client,
        tools=[count_voyages, search_knowledge],
        system_message=SYSTEM,
        max_tool_iterations=ROUNDS,
        reflect_on_tool_use=True,
    )
    result = await agent.run(task=QUESTION)
    return str(result.messages[-1].content)


def answer() -> str:
    return asyncio.run(_answer())


if __name__ == "__main__":
    print(answer())
