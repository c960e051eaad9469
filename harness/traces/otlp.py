"""A turn as OpenTelemetry spans, in the JSON form of OTLP, which Jaeger, Tempo and others read."""

import datetime
import hashlib
import json
import urllib.request
from typing import Any

from harness.errors import WorkshopError
from harness.traces.record_format import CHAT, ENDED, TOOL, to_record

_SECONDS = 10
_OK, _FAILED = 1, 2


def to_otlp(events: list[dict[str, Any]]) -> dict[str, Any]:
    """One span for the turn, one below it for each request to the model and each tool that ran."""
    trace_id = _hash(events[0]["trace_id"], 32)
    root = _hash(f"{trace_id} turn", 16)
    spans = []
    for number, event in enumerate(events):
        ended = event["phase"] in ENDED
        ran = event["operation"] == CHAT or event["phase"] == "EXECUTION"
        if not (ended or ran):
            continue
        end = _nanoseconds(event["timestamp"])
        took = int((event["latency_ms"] or 0) * 1e6)
        failed = bool(event.get("error")) or event.get("level") in ("warning", "error")
        spans.append(
            {
                "traceId": trace_id,
                "spanId": root if ended else _hash(f"{trace_id} {number}", 16),
                **({} if ended else {"parentSpanId": root}),
                "name": _name(event),
                "kind": 3 if event["operation"] == CHAT else 1,  # client, internal
                "startTimeUnixNano": str(max(end - took, 0)),
                "endTimeUnixNano": str(end),
                "attributes": [
                    {"key": key, "value": _value(value)} for key, value in to_record(event).items()
                ],
                "status": {"code": _FAILED if failed else _OK},
            }
        )
    scope = {"scope": {"name": "harness"}, "spans": spans}
    service = {"key": "service.name", "value": {"stringValue": "agent-loop-workshop"}}
    return {"resourceSpans": [{"resource": {"attributes": [service]}, "scopeSpans": [scope]}]}


def send(spans: dict[str, Any], address: str) -> str:
    """Give spans to a collector. Raises WorkshopError when it doesn't take them."""
    url = address.rstrip("/")
    url = url if url.endswith("/v1/traces") else f"{url}/v1/traces"
    data = json.dumps(spans).encode("utf-8")
    try:
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=_SECONDS) as reply:
            return f"Sent to {url}: {reply.status}."
    except (OSError, ValueError) as error:
        raise WorkshopError(
            f"The collector at {url} did not take it: {error}.",
            "Is it running, and does it speak OTLP over HTTP (usually port 4318)?",
        ) from error


def _name(event: dict[str, Any]) -> str:
    what = {CHAT: event.get("model"), TOOL: event["tool"]}.get(event["operation"], "agent")
    return f"{event['operation']} {what}"


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    return {"stringValue": json.dumps(value, ensure_ascii=False, default=str)}


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(str(text).encode()).hexdigest()[:length]


def _nanoseconds(timestamp: str | None) -> int:
    """Since 1970; 0 where the time can't be read."""
    try:
        moment = datetime.datetime.fromisoformat(timestamp or "")
    except ValueError:
        return 0
    return int(moment.timestamp() * 1_000) * 1_000_000
