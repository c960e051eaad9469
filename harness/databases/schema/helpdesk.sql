-- Support tickets. The digest is over what the ticket says: the same words on the same thread are
-- the same ticket, however often the tool is called.
CREATE TABLE IF NOT EXISTS tickets (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    title TEXT NOT NULL,
    category TEXT NOT NULL,
    priority TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'open',
    digest TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (user_id, thread_id, digest)
);
