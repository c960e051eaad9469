"""A request, read: the question, what the context says, what was called and what came back."""

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from harness.standin.brain.factlines import Fact

_SECTIONS = ("# Skills", "# Memory", "# Knowledge", "# Question")
_BULLET = re.compile(r"- \[(\w+)\] (.*)\Z")
_SKILL = re.compile(r"- ([\w./-]+): (.+)\Z")
_MEMORY = re.compile(r"> ?(?:\[[^\]]*\] ?)?(.*)\Z")
_RECENT = re.compile(r"> ?(user|assistant): (.*)\Z")
_QUALIFIED = re.compile(r"([\w$]+(?:\.[\w$]+)+): (.*)\Z")
_QUESTION = re.compile(r"^# Question\s*$\n?", re.MULTILINE)
_FACT_START = re.compile(r'\{\s*"kind"\s*:')


@dataclass(frozen=True)
class Step:
    """One call with its observation; `round` counts the assistant's messages, from 0."""

    name: str
    arguments: dict[str, Any]
    id: str
    text: str
    round: int

    @cached_property
    def error(self) -> str:
        """What the observation complains of, or ""."""
        stripped = self.text.strip()
        if stripped.startswith("ERROR"):
            return stripped.removeprefix("ERROR:").strip() or "no reason given"
        data = self.data
        if isinstance(data.get("error"), str) and data.get("status") != "ok":
            return str(data["error"])
        return ""

    @cached_property
    def data(self) -> dict[str, Any]:
        """The observation's JSON object; {} where it has none."""
        try:
            found = json.loads(self.text)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


@dataclass
class Situation:
    """Everything that a reply may rest on."""

    question: str
    tools: dict[str, dict[str, Any]]
    facts: list[Fact] = field(default_factory=list)
    skills: list[tuple[str, str]] = field(default_factory=list)
    memories: list[str] = field(default_factory=list)
    recent: list[tuple[str, str]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    rounds: int = 0
    system: str | None = None  # what the system messages say; None where there is none
    nudge: str = ""  # what the loop has said since the question

    def calls(self, name: str) -> list[Step]:
        """The steps that called a tool."""
        return [step for step in self.steps if step.name == name]

    def offered(self, *names: str) -> bool:
        """Whether all of these tools may be called now."""
        return all(name in self.tools for name in names)

    def parameters(self, tool: str) -> dict[str, Any]:
        """The properties of a tool's parameters."""
        schema = self.tools.get(tool, {}).get("parameters") or {}
        properties = schema.get("properties")
        return properties if isinstance(properties, dict) else {}

    @property
    def known_skills(self) -> list[tuple[str, str]]:
        """Names and descriptions of skills, from the manifest and from list_skills."""
        listed = [s for step in self.calls("list_skills") for s in step.data.get("skills") or []]
        named = [s for s in listed if isinstance(s, dict)]
        return [*self.skills, *((str(s.get("name")), str(s.get("description"))) for s in named)]

    @property
    def correction_texts(self) -> list[str]:
        """What may hold a correction, the newest first: this thread, facts, memories."""
        texts = [f"{f.body}" for f in self.facts if f.kind == "correction"]
        said = [text for role, text in self.recent if role == "user"]
        return list(dict.fromkeys([*reversed(said), *texts, *self.memories]))


def read_request(request: dict[str, Any]) -> Situation:
    """Read a chat completions request."""
    messages = [m for m in request.get("messages") or [] if isinstance(m, dict)]
    texts = [(m.get("role"), _text(m.get("content"))) for m in messages]
    at = _task_index(messages)
    situation = Situation("", _tools(request))
    prompts = [text for role, text in texts if role in ("system", "developer")]
    situation.system = "\n".join(prompts) if prompts else None
    for message, (role, text) in zip(messages[:at], texts, strict=False):
        if role in ("user", "assistant") and text and not message.get("tool_calls"):
            situation.recent.append((str(role), _parts(text)[1]))
    _read_context(texts[at][1] if texts else "", situation)
    _read_steps(messages, at, situation)
    said = [text for role, text in texts[at + 1 :] if role == "user"]
    situation.nudge = said[-1] if said else ""
    situation.recent = [r for r in situation.recent if r != ("user", situation.question.strip())]
    situation.facts = list(dict.fromkeys(situation.facts))
    return situation


def _tools(request: dict[str, Any]) -> dict[str, dict[str, Any]]:
    tools = [tool for tool in request.get("tools") or [] if isinstance(tool, dict)]
    functions = [f for tool in tools if isinstance(f := tool.get("function"), dict)]
    return {f["name"]: f for f in functions if isinstance(f.get("name"), str)}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(p.get("text", "")) for p in content if isinstance(p, dict))
    return content if isinstance(content, str) else ""


def _parts(text: str) -> tuple[str, str]:
    """The context and the question of a message; ("", the whole of it) where it has no context."""
    head, *rest = _QUESTION.split(text, maxsplit=1)
    return (head, rest[0].strip()) if rest else ("", text.strip())


def _task_index(messages: list[dict[str, Any]]) -> int:
    """The message with the question: the newest built context, else the first after an answer."""
    users = [i for i, m in enumerate(messages) if m.get("role") == "user"]
    built = [i for i in users if _QUESTION.search(_text(messages[i].get("content")))]
    said = [m.get("role") == "assistant" and not m.get("tool_calls") for m in messages]
    last = max((i for i, answered in enumerate(said) if answered), default=-1)
    later = [i for i in users if i > last]
    return next(iter([*reversed(built), *later, *reversed(users)]), 0)


def _read_context(text: str, situation: Situation) -> None:
    """The sections before the question: skills, memory and knowledge."""
    head, situation.question = _parts(text)
    section = ""
    for line in head.splitlines():
        if line.strip() in _SECTIONS:
            section = line.strip()
        elif section == "# Knowledge" and (match := _BULLET.match(line)):
            kind, rest = match.groups()
            qualified = _QUALIFIED.match(rest)
            subject, body = qualified.groups() if qualified else rest.partition(": ")[::2]
            situation.facts.append(Fact(kind, subject, body or subject))
        elif section == "# Skills" and (match := _SKILL.match(line)):
            situation.skills.append((match.group(1), match.group(2)))
        elif section == "# Memory" and (match := _RECENT.match(line)):
            situation.recent.append((match.group(1), match.group(2)))
        elif section == "# Memory" and (match := _MEMORY.match(line)):
            subject, _, body = match.group(1).partition(": ")
            named = body and len(subject.split()) < 8  # a memory is shown with its subject
            situation.memories.append(body if named else match.group(1))


def _read_steps(messages: list[dict[str, Any]], at: int, situation: Situation) -> None:
    tools = [m for m in messages[at:] if m.get("role") == "tool"]
    results = {str(m.get("tool_call_id")): _text(m.get("content")) for m in tools}
    for message in messages[at + 1 :]:
        calls = message.get("tool_calls") if message.get("role") == "assistant" else None
        for call in calls or ():
            function, id = call.get("function") or {}, str(call.get("id"))
            name, arguments = str(function.get("name")), _arguments(function.get("arguments"))
            text = results.get(id, "ERROR: no result came back")
            situation.steps.append(Step(name, arguments, id, text, situation.rounds))
            situation.facts += _facts(text) if name == "search_knowledge" else []
        situation.rounds += bool(calls)


def _arguments(text: Any) -> dict[str, Any]:
    try:
        found = text if isinstance(text, dict) else json.loads(text or "{}")
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _facts(text: str) -> list[Fact]:
    """Facts in an observation; also out of one that was cut off in the middle."""
    decoder, made = json.JSONDecoder(), []
    for match in _FACT_START.finditer(text):
        try:
            found, _ = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        if all(isinstance(found.get(name), str) for name in ("kind", "subject", "body")):
            made.append(Fact(found["kind"], found["subject"], found["body"]))
    return made
