"""Operations: notices and rebookings, the tools whose effects one has to be careful with.

They write to the outbox, from which dispatch carries out what is in it. The business data itself
is never changed.
"""

import re
from typing import Annotated, Any

from pydantic import Field

from harness.databases import outbox
from harness.databases.business import business
from harness.errors import ToolError
from harness.excerpt import short_repr
from harness.guards.effect import Effect
from harness.guards.outbound import looked_at
from harness.session import current_question, current_session
from harness.tools.toolbox import register

COMPANY = "harbourline.example"
_ADDRESS = re.compile(r"[A-Za-z0-9._%+-]{1,64}@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+)")
_TAKEN_OUT = "What may not go there was taken out, as marked. Tell the user."
_SECONDS = 10.0
_AHEAD = ("SCHEDULED", "LOADING")  # a voyage that has not left

_DRAFT = Effect("notice", "draft", "agent", "reversible")
_SEND_INSIDE = Effect("notice", "send", "inside", "irreversible", unit="notice")
_SEND_OUTSIDE = Effect("notice", "send", "outside", "irreversible", unit="notice")
_REBOOK = Effect("container", "rebook", "inside", "reversible", unit="container")
_REBOOK_FOR_GOOD = Effect("container", "rebook", "inside", "irreversible", unit="container")
_CANCEL = Effect("container", "cancel", "inside", "reversible", unit="container")

_Notice = Annotated[str, Field(pattern=r"^N-\d{4,9}$", description="Its id, such as N-0001.")]
_Container = Annotated[
    str, Field(pattern=r"^[A-Z]{4}\d{7}$", description="The container's number.")
]
_Order = Annotated[str, Field(pattern=r"^R-\d{4,9}$", description="Its id, such as R-0002.")]


def _number(written: str) -> int:
    return int(written[2:])


def _add(kind: str, status: str, content: dict[str, Any]) -> int:
    session, question = current_session(), current_question()
    thread = question.thread_id if question else ""
    return outbox.add(kind, status, (session.user, session.tenant, session.agent), thread, content)


@register(
    when="somebody should be told in writing; nothing leaves until send_notice.",
    returns="'notice_id' for send_notice, 'to', and 'goes' inside or outside the company. A draft "
    "can't be changed: write another one.",
    tier="write",
    permission="operations",
    idempotent=False,
    example={"to": "dispatch@harbourline.example", "subject": "1479", "body": "It sails."},
    effects=(_DRAFT,),
)
def draft_notice(
    to: Annotated[str, Field(max_length=254, description="One e-mail address, no name.")],
    subject: Annotated[str, Field(min_length=1, max_length=150, description="One line.")],
    body: Annotated[str, Field(min_length=1, max_length=4_000, description="The text.")],
) -> dict[str, Any]:
    """Draft a notice to one address."""
    goes = _domain(to)
    if "\n" in subject or "\r" in subject:
        raise ToolError("bad_arguments", "draft_notice: subject is one line.", "Shorten it.")
    recipients = (COMPANY, to.lower().rpartition("@")[2])
    content = {
        "to": to.lower(),
        "subject": looked_at(subject, goes, recipients),
        "body": looked_at(body, goes, recipients),
    }
    number = _add("notice", "draft", content)
    drafted = {"notice_id": f"N-{number:04d}", "to": to.lower(), "goes": goes.split("/")[0]}
    as_given = (content["subject"], content["body"]) == (subject, body)
    return drafted if as_given else {**drafted, **content, "note": _TAKEN_OUT}


def _domain(address: str) -> str:
    """Where mail to an address goes: inside, or outside/its domain. Raises ToolError."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise ToolError(
            "bad_arguments",
            f"to: {short_repr(address)} is not one plain e-mail address.",
            "Such as dispatch@harbourline.example.",
        )
    domain = match.group(1).lower()
    inside = domain == COMPANY or domain.endswith(f".{COMPANY}")
    return "inside" if inside else f"outside/{domain}"


def _notice(notice_id: str) -> outbox.Entry:
    """A notice of this user. Another user's is as if it were not there."""
    found = outbox.entry("notice", _number(notice_id))
    if found is None or not _is_ours(found):
        raise ToolError("bad_arguments", f"There is no notice {notice_id}.", "Draft it first.")
    return found


def _is_ours(entry: outbox.Entry) -> bool:
    session = current_session()
    return (entry.user, entry.tenant) == (session.user, session.tenant)


def _sending(notice_id: str) -> Effect:
    goes = _domain(_notice(notice_id).content["to"])
    return Effect("notice", "send", goes, "irreversible", unit="notice")


def _sending_in_words(notice_id: str) -> str:
    text = _notice(notice_id).content
    return f"Send {notice_id} to {text['to']}: {text['subject']!r} / {text['body']!r}"


@register(
    when="the user wants a drafted notice to be sent, and has seen its text.",
    returns="'notice_status' sent. Tell the user to whom it went.",
    tier="write",
    cost="medium",
    permission="operations",
    preconditions="draft_notice gave the notice_id; the user agreed to the text.",
    idempotent=True,
    example={"notice_id": "N-0001"},
    effects=(_SEND_INSIDE, _SEND_OUTSIDE),
    effect_of=_sending,
    preview=_sending_in_words,
)
def send_notice(notice_id: _Notice) -> dict[str, Any]:
    """Send a drafted notice. It can't be taken back."""
    notice = _notice(notice_id)
    done = outbox.move(notice.number, "draft", "sent")
    said = {} if done else {"note": "It had been sent already; it was not sent again."}
    return {"notice_id": notice_id, "notice_status": "sent", "to": notice.content["to"], **said}


def _rebooking(container_no: str, voyage_id: int) -> Effect:
    """Until loading begins a rebooking can be taken back."""
    return _REBOOK if _voyage(voyage_id)["status"] == "SCHEDULED" else _REBOOK_FOR_GOOD


def _rebooking_in_words(container_no: str, voyage_id: int) -> str:
    before = _booked_on(container_no)["voyage_id"]
    return f"Move {container_no} from voyage {before} to voyage {voyage_id}"


@register(
    when="the user wants a container moved to a voyage that has not left.",
    returns="'rebooking_id', and 'can_be_cancelled' until loading of the new voyage begins.",
    tier="write",
    cost="high",
    permission="operations",
    preconditions="the user named the container and the voyage.",
    idempotent=True,
    example={"container_no": "BWKU8223431", "voyage_id": 1483},
    effects=(_REBOOK, _REBOOK_FOR_GOOD),
    effect_of=_rebooking,
    preview=_rebooking_in_words,
)
def rebook_container(
    container_no: _Container,
    voyage_id: Annotated[int, "Key of the new voyage."],
) -> dict[str, Any]:
    """Order a container onto another voyage to the same port."""
    target, booked = _voyage(voyage_id), _booked_on(container_no)
    known = _standing(container_no)
    if known and known.content["voyage_id"] == voyage_id:
        return {**_order(known), "note": "This was ordered already; nothing was done again."}
    _can_move(container_no, booked, target)
    content = {
        "container_no": container_no,
        "voyage_id": voyage_id,
        "from_voyage_id": booked["voyage_id"],
        "can_be_cancelled": target["status"] == "SCHEDULED",
    }
    if known:
        outbox.move(known.number, "ordered", "replaced")
    number = _add("rebooking", "ordered", content)
    return {"rebooking_id": f"R-{number:04d}", "rebooking_status": "ordered", **content}


@register(
    when="the user wants a rebooking taken back that was ordered before.",
    returns="'rebooking_status' cancelled: the container stays on the voyage that it was on.",
    tier="write",
    cost="medium",
    permission="operations",
    preconditions="rebook_container gave the rebooking_id and said that it can be cancelled.",
    idempotent=True,
    example={"rebooking_id": "R-0002"},
    effects=(_CANCEL,),
)
def cancel_rebooking(rebooking_id: _Order) -> dict[str, Any]:
    """Take a rebooking back, as long as its voyage is not being loaded."""
    order = outbox.entry("rebooking", _number(rebooking_id))
    if order is None or not _is_ours(order):
        raise ToolError("bad_arguments", f"There is no rebooking {rebooking_id}.", "Check the id.")
    if order.status == "ordered" and not order.content["can_be_cancelled"]:
        raise ToolError(
            "failed",
            f"{rebooking_id} can't be cancelled: loading has begun.",
            "Tell the user; rebook_container may move it on to another voyage.",
        )
    outbox.move(order.number, "ordered", "cancelled")
    return {"rebooking_id": rebooking_id, "rebooking_status": "cancelled"}


TOOLKIT = (draft_notice, send_notice, rebook_container, cancel_rebooking)


def _order(entry: outbox.Entry) -> dict[str, Any]:
    return {
        "rebooking_id": f"R-{entry.number:04d}",
        "rebooking_status": entry.status,
        **entry.content,
    }


def _standing(container_no: str) -> outbox.Entry | None:
    """The order in force for a container, whoever of this tenant gave it."""
    tenant = current_session().tenant
    orders = [o for o in outbox.entries("rebooking", "ordered") if o.tenant == tenant]
    return next((o for o in reversed(orders) if o.content["container_no"] == container_no), None)


def _voyage(voyage_id: int) -> dict[str, Any]:
    rows = _rows(
        "SELECT voyage_id, status, destination_port_id FROM SUPPLYCHAIN.voyages "
        f"WHERE voyage_id = {voyage_id:d}"
    )
    if not rows:
        raise ToolError(
            "bad_arguments",
            f"voyage_id: there is no voyage {voyage_id}.",
            "find_voyages lists them.",
        )
    return rows[0]


def _booked_on(container_no: str) -> dict[str, Any]:
    """The voyage that the data books a container on; the pattern lets no quote through."""
    rows = _rows(
        "SELECT v.voyage_id, v.status, v.destination_port_id FROM SUPPLYCHAIN.containers c "
        "JOIN SUPPLYCHAIN.voyages v ON v.voyage_id = c.voyage_id "
        f"WHERE c.container_no = '{container_no}'"
    )
    if not rows:
        raise ToolError(
            "bad_arguments", f"There is no container {container_no}.", "Check its number."
        )
    return rows[0]


def _can_move(container_no: str, booked: dict[str, Any], target: dict[str, Any]) -> None:
    """Refuse what no dispatcher could do. Raises ToolError."""
    fault = ""
    if booked["status"] not in (*_AHEAD, "CANCELLED"):
        fault = f"{container_no} has left on voyage {booked['voyage_id']}"
    elif target["status"] not in _AHEAD:
        fault = f"voyage {target['voyage_id']} is {target['status']}"
    elif target["destination_port_id"] != booked["destination_port_id"]:
        fault = f"voyage {target['voyage_id']} goes to another port"
    elif target["voyage_id"] == booked["voyage_id"]:
        fault = f"{container_no} is on voyage {target['voyage_id']} already"
    if fault:
        hint = "Find a SCHEDULED voyage to the same destination, or tell the user."
        raise ToolError("failed", f"rebook_container: {fault}.", hint)


def _rows(sql: str) -> list[dict[str, Any]]:
    result = business().query(sql, 1, min(_SECONDS, current_session().seconds_left()))
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]
