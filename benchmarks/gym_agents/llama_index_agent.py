"""llama-index: FunctionAgent."""

import asyncio
import os

from desk import MODEL, QUESTION, ROUNDS, SYSTEM, TIMEOUT, count_voyages, search_knowledge
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike


async def _answer() -> str:
    llm = OpenAILike(
        model=MODEL,
        api_base=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ["OPENAI_API_KEY"],
        timeout=TIMEOUT,
        is_chat_model=True,
        is_function_calling_model=True,
    )
    tools = [count_voyages, search_knowledge]
    agent = FunctionAgent(tools=tools, llm=llm, system_prompt=SYSTEM)
    return str(await agent.run(QUESTION, max_iterations=ROUNDS))


def answer() -> str:
    return asyncio.run(_answer())


if __name__ == "__main__":
    print(answer())
