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
    tenant TEXT NOT NULL DEFAULT '',
    agent TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL
);

-- What the user was asked to approve. `call` is the tool with its canonical arguments and effect;
-- `paused` is the turn that waits for the answer, taken out by whoever goes on with it.
CREATE TABLE IF NOT EXISTS approvals (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    call TEXT NOT NULL,
    arguments TEXT NOT NULL,
    words TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'asked',
    asked_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    paused TEXT
);
CREATE INDEX IF NOT EXISTS approvals_by_call ON approvals (user_id, thread_id, call);

-- Every piece of work that was handed to a subagent, and where it failed, if it did.
CREATE TABLE IF NOT EXISTS delegations (
    run TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    subagent TEXT NOT NULL,
    depth INTEGER NOT NULL,
    boundary TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    ended_at TEXT NOT NULL
);
