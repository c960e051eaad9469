"""What budgets have paid for already, so that a request is judged and charged in one step.

What reaches the world is counted in the agent's state, for all kernels together. Reading, and the
agent's own notes, are counted in this process only: they are a thousand times as frequent.
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from harness.databases.state import state
from harness.guards.effect import Effect
from harness.guards.envelope import DAY, HOUR, TURN, Decision, Spent

Judge = Callable[[Sequence[Spent]], Decision]
Announce = Callable[[sqlite3.Connection], None]
_KEPT = 1_000  # periods of reading that are remembered, the ones used last
_read: OrderedDict[str, dict[Effect, int]] = OrderedDict()
_lock = threading.Lock()
_SELECT = """SELECT period, amount, resource, action, destination, reversibility, unit
    FROM authority_spent WHERE unit = ? AND period IN ({})"""
_ADD = """INSERT INTO authority_spent VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount"""


@dataclass(frozen=True, slots=True)
class Account:
    """Who pays: a tenant's user, in a turn ("" outside of one), for these subagents' runs."""

    tenant: str
    user: str
    turn: str = ""
    runs: tuple[str, ...] = ()

    def periods(self, at: datetime) -> dict[str, str]:
        """The key of each budget period, and the period's name in an envelope. Hours are UTC."""
        hours = int(at.timestamp()) // 3600
        keys = {
            f"hour {hours} {self.tenant} {self.user}": HOUR,
            f"day {hours // 24} {self.tenant}": DAY,
        }
        if self.turn:
            keys[f"turn {self.turn}"] = TURN
        return keys | {f"run {run}": run for run in self.runs}


def charge(
    effect: Effect,
    account: Account,
    at: datetime,
    judge: Judge,
    announce: Announce | None = None,
) -> Decision:
    """What `judge` says of what was spent before; the effect is charged if that is "allow".

    What was charged stays charged when the tool then fails: attempts count. `announce` writes what
    is about to be done into the transaction that charges; it is not called where there is none.
    """
    periods = account.periods(at)
    if effect.leaves:
        return _charge_stored(effect, periods, at, judge, announce)
    with _lock:
        counts = {key: _read.setdefault(key, {}) for key in periods}
        decision = judge(
            [Spent(periods[k], each, n) for k, row in counts.items() for each, n in row.items()]
        )
        if decision.verdict == "allow":
            kind = replace(effect, amount=1)
            for key, row in counts.items():
                row[kind] = row.get(kind, 0) + effect.amount
                _read.move_to_end(key)
            while len(_read) > _KEPT:
                _read.popitem(last=False)
    return decision


def _charge_stored(
    effect: Effect,
    periods: dict[str, str],
    at: datetime,
    judge: Judge,
    announce: Announce | None,
) -> Decision:
    marks = ", ".join("?" * len(periods))
    with state().write() as connection:  # no other kernel can spend the same in between
        if announce is not None:
            announce(connection)
        rows = connection.execute(_SELECT.format(marks), (effect.unit, *periods)).fetchall()
        decision = judge([Spent(periods[row[0]], _kind(*row[2:]), row[1]) for row in rows])
        if decision.verdict == "allow":
            day = int(at.timestamp()) // 86_400
            if not rows:  # a day begins
                connection.execute("DELETE FROM authority_spent WHERE day < ?", (day - 1,))
            kind = (effect.resource, effect.action, effect.destination, effect.reversibility)
            paid = (*kind, effect.unit, effect.amount, day)
            connection.executemany(_ADD, [(key, *paid) for key in periods])
    return decision


@lru_cache(maxsize=256)
def _kind(resource: str, action: str, destination: str, reversibility: Any, unit: str) -> Effect:
    return Effect(resource, action, destination, reversibility, 1, unit)
