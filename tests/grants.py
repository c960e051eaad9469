"""A grant as an envelope's file has it: sending notices outside, for a test to change."""

SEND_OUTSIDE = {
    "resource": "notice",
    "action": "send",
    "destination": "outside",
    "reversibility": "irreversible",
    "time": "session",
    "approval": "none",
}
