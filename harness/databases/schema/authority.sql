-- What budgets have paid for: a row for each period and kind of effect. A period is a turn, a
-- user's hour, a tenant's day, or a subagent's run.
CREATE TABLE IF NOT EXISTS authority_spent (
    period TEXT NOT NULL,
    resource TEXT NOT NULL,
    action TEXT NOT NULL,
    destination TEXT NOT NULL,
    reversibility TEXT NOT NULL,
    unit TEXT NOT NULL,
    amount INTEGER NOT NULL,
    day INTEGER NOT NULL,
    PRIMARY KEY (period, resource, action, destination, reversibility, unit)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS authority_spent_by_day ON authority_spent (day);

-- What the operations tools did, or have been told to do, in the order in which it came.
CREATE TABLE IF NOT EXISTS outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    user_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL
);
