# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `agent_turn`."""

RIGHT = {
    "a class": """
class _Turn:
    def __call__(self, user_query, thread_id="default", max_iterations=8, budget_seconds=360.0, verbose=True):
        end = time.monotonic() + budget_seconds
        log_message(thread_id, "user", user_query)
        talk = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": build_context(thread_id, user_query)}]
        tools = retrieve_tools(user_query, k=6)
        answer = None
        for step in range(max_iterations):
            if time.monotonic() > end:
                break
            said = chat(talk, tools).choices[0].message
            if verbose:
                print(step, [c.function.name for c in said.tool_calls or []] or "answer")
            if not said.tool_calls:
                answer = said.content
                break
            talk.append(said.model_dump(exclude_none=True))
            talk.extend(dispatch(c).message for c in said.tool_calls)
        answer = answer or self.last_word(talk)
        log_message(thread_id, "assistant", answer)
        return answer

    def last_word(self, talk):
        talk.append({"role": "user", "content": "Time is up: answer now."})
        return chat(talk).choices[0].message.content or "(no answer)"


agent_turn = _Turn()
""",
}
