# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `admit`."""

RIGHT = {
    "a class": """
class _Door:
    def __call__(self, proposal, known):
        for rule in (self.never, self.again, self.said, self.made):
            if verdict := rule(proposal, known):
                return verdict
        return "store"

    def never(self, p, k):
        secret = any(redact(t or "") != (t or "") for t in (p.subject, p.value))
        permission = p.type == "policy_state"
        if secret or (permission and not k.authorized) or (p.model_generated and (permission or p.high_impact)) or k.retracted_as:
            return "refuse"

    def again(self, p, k):
        return "duplicate" if k.duplicate_of else None

    def said(self, p, k):
        where = {"user_statement": k.user_message, "tool_output": k.tool_output}
        if p.source in where:
            sentence = quoted(p.quote, where[p.source])
            return "quarantine" if sentence is None or sentence.asks else "store"

    def made(self, p, k):
        if p.model_generated or p.source.startswith("model_"):
            return "quarantine"

admit = _Door()
""",
    "match or a partial": """
def admit(p, k):
    match p:
        case _ if redact(p.value) != p.value or redact(p.subject or "") != (p.subject or ""):
            return "refuse"
        case _ if p.type == "policy_state" and (p.model_generated or not k.authorized):
            return "refuse"
        case _ if p.high_impact and p.model_generated:
            return "refuse"
        case _ if k.retracted_as is not None:
            return "refuse"
        case _ if k.duplicate_of is not None:
            return "duplicate"
        case Proposal(source="user_statement"):
            return _by_quote(p.quote, k.user_message)
        case Proposal(source="tool_output"):
            return _by_quote(p.quote, k.tool_output)
        case Proposal(source="model_inference" | "model_summary") | Proposal(model_generated=True):
            return "quarantine"
        case _:
            return "store"

def _by_quote(quote, said):
    s = quoted(quote, said)
    return "store" if s and not s.asks else "quarantine"
""",
    "lambdas or a table": r"""
_REFUSED = [
    lambda p, k: redact(f"{p.subject}\n{p.value}") != f"{p.subject}\n{p.value}",
    lambda p, k: p.type == "policy_state" and not k.authorized,
    lambda p, k: p.type == "policy_state" and p.model_generated,
    lambda p, k: p.high_impact and p.model_generated,
    lambda p, k: bool(k.retracted_as),
]
admit = lambda p, k: (
    "refuse" if any(r(p, k) for r in _REFUSED)
    else "duplicate" if k.duplicate_of
    else ("store" if (s := quoted(p.quote, {"user_statement": k.user_message, "tool_output": k.tool_output}[p.source])) and not s.asks else "quarantine") if p.source in ("user_statement", "tool_output")
    else "quarantine" if p.model_generated or p.source in {"model_inference", "model_summary"}
    else "store"
)
""",
    "early returns or a recursion": """
def admit(proposal: Proposal, known: Known) -> str:
    for text in [proposal.subject, proposal.value]:
        if text and redact(text) != text:
            return "refuse"
    if proposal.type == "policy_state":
        if not known.authorized or proposal.model_generated:
            return "refuse"
    elif proposal.high_impact:
        if proposal.model_generated:
            return "refuse"
    if known.retracted_as:
        return "refuse"
    elif known.duplicate_of:
        return "duplicate"
    evidence = None
    if proposal.source == "user_statement":
        evidence = known.user_message
    elif proposal.source == "tool_output":
        evidence = known.tool_output
    elif proposal.source == "model_inference" or proposal.source == "model_summary":
        return "quarantine"
    elif proposal.model_generated:
        return "quarantine"
    else:
        return "store"
    sentence = quoted(proposal.quote, evidence)
    if sentence is None:
        return "quarantine"
    if sentence.asks:
        return "quarantine"
    return "store"
""",
    "a table of cases or exceptions": """
def admit(proposal, known):
    def chain(rules):
        (holds, verdict), *rest = rules
        return (verdict() if callable(verdict) else verdict) if holds else chain(rest)

    def sentence():
        s = quoted(proposal.quote, known.tool_output if proposal.source == "tool_output" else known.user_message)
        return ("quarantine", "store")[bool(s and not s.asks)]

    p, generated = proposal, proposal.model_generated
    impact = p.high_impact or p.type == "policy_state"
    return chain([
        (any(t != redact(t) for t in filter(None, (p.value, p.subject))), "refuse"),
        (p.type == "policy_state" and not known.authorized, "refuse"),
        (impact and generated, "refuse"),
        (known.retracted_as, "refuse"),
        (known.duplicate_of, "duplicate"),
        (p.source in ("user_statement", "tool_output"), sentence),
        (generated or p.source in ("model_summary", "model_inference"), "quarantine"),
        (True, "store"),
    ])
""",
    "a verdict from a list of what holds": """
def admit(proposal, known):
    never = []
    for text in (proposal.value, proposal.subject):
        never.append(text is not None and redact(text) != text)
    is_permission = proposal.type == "policy_state"
    never.append(is_permission and not known.authorized)
    never.append(proposal.model_generated and (is_permission or proposal.high_impact))
    never.append(known.retracted_as is not None)
    if any(never):
        return "refuse"
    if known.duplicate_of is not None:
        return "duplicate"
    try:
        heard = {"user_statement": known.user_message, "tool_output": known.tool_output}[proposal.source]
    except KeyError:
        by_model = proposal.model_generated or proposal.source in ["model_inference", "model_summary"]
        return "quarantine" if by_model else "store"
    found = quoted(proposal.quote, heard)
    return "quarantine" if found is None or found.asks else "store"
""",
    "from the last rule to the first": """
def admit(proposal: Proposal, known: Known) -> str:
    verdict = "store"
    if proposal.model_generated or proposal.source in ("model_inference", "model_summary"):
        verdict = "quarantine"
    for source, said in (("user_statement", known.user_message), ("tool_output", known.tool_output)):
        if proposal.source == source:
            sentence = quoted(proposal.quote, said)
            verdict = "store" if sentence and not sentence.asks else "quarantine"
    if known.duplicate_of:
        verdict = "duplicate"
    weighty = proposal.high_impact or proposal.type == "policy_state"
    secret = redact(proposal.value) + redact(proposal.subject) != proposal.value + proposal.subject
    unsigned = proposal.type == "policy_state" and not known.authorized
    if secret or unsigned or known.retracted_as or (weighty and proposal.model_generated):
        verdict = "refuse"
    return verdict
""",
}
