# ruff: noqa: E501  (a line a version)
"""Wrong versions of `admit`."""

from tests.wrong import Wrong

_SECRET = '    if redact(text) != text:\n        return "refuse"\n'
_GRANT = '    if permission and not known.authorized:\n        return "refuse"\n'
_IMPACT = '    if (permission or proposal.high_impact) and proposal.model_generated:\n        return "refuse"\n'
_GONE = '    if known.retracted_as:\n        return "refuse"\n'
_TWICE = '    if known.duplicate_of:\n        return "duplicate"\n'
_STORE = 'return "store" if found and not found.asks else "quarantine"'
_MODEL = 'if proposal.source in ("model_inference", "model_summary") or proposal.model_generated:'
_WHERE = "known.user_message if by_user else known.tool_output"
_QUOTED = 'if proposal.source in ("user_statement", "tool_output"):'

WRONG = [
    Wrong(
        ("TODO 1", '1. `"refuse"`'),
        "secret_stored",
        {'f"{proposal.subject} {proposal.value}"': "proposal.value"},
    ),
    Wrong(
        "TODO 1",
        "secret_quarantined",
        {
            _SECRET: '    if redact(text) != text and not proposal.model_generated:\n        return "refuse"\n'
        },
    ),
    Wrong(
        '1. `"refuse"`',
        "sentence_as_permission",
        {
            _GRANT: '    if permission and not (known.authorized or proposal.quote):\n        return "refuse"\n'
        },
    ),
    Wrong(
        "TODO 2",
        "model_wrote_permission",
        {_IMPACT: _IMPACT.replace("(permission or proposal.high_impact)", "proposal.high_impact")},
    ),
    Wrong(
        "TODO 2",
        "high_impact_by_model",
        {_IMPACT: _IMPACT.replace("(permission or proposal.high_impact)", "permission")},
    ),
    Wrong(
        "TODO 2",
        "high_impact_refused",
        {_IMPACT: _IMPACT + '    if proposal.high_impact:\n        return "refuse"\n'},
    ),
    Wrong(
        "TODO 3",
        "learned_again",
        {_GONE: '    if known.retracted_as and known.duplicate_of:\n        return "refuse"\n'},
    ),
    Wrong(("TODO 3", '2. `"duplicate"`'), "stored_twice", {_TWICE: ""}),
    Wrong('2. `"duplicate"`', "order_of_rules", {_GONE + _TWICE: _TWICE + _GONE}),
    Wrong(
        ("TODO 4", "3. For a `user_statement`"),
        "made_up_quote",
        {"quoted(proposal.quote, ": 'quoted((proposal.quote or "").split(" ")[0], '},
    ),
    Wrong("TODO 4", "question_stored", {_STORE: 'return "store" if found else "quarantine"'}),
    Wrong(
        "TODO 4",
        "empty_quote",
        {
            _STORE: 'return "store" if not (proposal.quote or "").strip() or found and not found.asks else "quarantine"'
        },
    ),
    Wrong(
        "TODO 4",
        "wrong_speaker",
        {
            _WHERE: '(known.user_message if by_user and proposal.kind else "") + (known.tool_output or "")'
        },
    ),
    Wrong("3. For a `user_statement`", "tool_quote_refused", {_WHERE: "known.user_message"}),
    Wrong(
        "TODO 4",
        "label_believed",
        {
            _STORE: 'return "store" if proposal.confidence == "confirmed" or found and not found.asks else "quarantine"'
        },
    ),
    Wrong(
        ("TODO 5", '4. `"quarantine"`'),
        "summary_stored",
        {'("model_inference", "model_summary")': '("model_inference",)'},
    ),
    Wrong(
        "TODO 5", "inference_stored", {'("model_inference", "model_summary")': '("model_summary",)'}
    ),
    Wrong(
        "TODO 5",
        "inference_stored",
        {_MODEL: 'if proposal.source in ("model_inference", "model_summary"):'},
    ),
    Wrong(
        "TODO 5",
        "label_believed",
        {
            _MODEL: 'if proposal.confidence != "confirmed" and (proposal.source in ("model_inference", "model_summary") or proposal.model_generated):'
        },
    ),
    Wrong(
        ('5. `"store"`', "TODO 5"),
        "source_refused",
        {
            _QUOTED: 'if proposal.source in ("application", "document"):\n        return "quarantine"\n    '
            + _QUOTED
        },
    ),
    Wrong(
        "What to do with a proposed memory",
        "not_a_verdict",
        {'return "duplicate"': 'return "known"'},
    ),
    # What a proposal claims of itself, and rules in another order.
    Wrong("TODO 1", "secret_stored", {_SECRET: '    if "key" in text:\n        return "refuse"\n'}, also=("source_refused",)),
    Wrong("TODO 2", "sentence_as_permission", {_GRANT: '    if permission and proposal.source != "authorization_event":\n        return "refuse"\n'}),
    Wrong("TODO 3", "order_of_rules", {_GRANT: '    if permission:\n        return "store" if known.authorized and not proposal.model_generated else "refuse"\n'}),
    Wrong("TODO 4", "true_quote_refused", {"quoted(proposal.quote, ": "quoted(proposal.value if by_user else proposal.quote, "}),
    Wrong("TODO 4", "question_stored", {_STORE: 'return "store" if found and not (by_user and found.asks) else "quarantine"'}),
    Wrong("3. For a `user_statement`", "order_of_rules", {_STORE: 'return "store" if found and not found.asks and not proposal.model_generated else "quarantine"'}),
    Wrong("TODO 5", "inference_stored", {" or proposal.model_generated:": ' or proposal.model_generated and proposal.source != "document":'}),
    Wrong('5. `"store"`', "source_refused", {_QUOTED: 'if proposal.confidence == "inferred" and not proposal.model_generated:\n        return "quarantine"\n    ' + _QUOTED}),
    # What the text says and no version above breaks.
    Wrong('4. `"quarantine"`', 'summary_stored', {'if proposal.source in ("model_inference", "model_summary") or': 'if (proposal.source in ("model_inference", "model_summary") and proposal.confidence != "confirmed") or'}),
    Wrong('5. `"store"`', 'source_refused', {'or proposal.model_generated:\n        return "quarantine"': 'or proposal.model_generated or proposal.high_impact:\n        return "quarantine"'}),
    Wrong('3. For a `user_statement`', 'tool_quote_refused', {'not found.asks': 'not found.asks and (by_user or not proposal.model_generated)'}),
]  # fmt: skip
