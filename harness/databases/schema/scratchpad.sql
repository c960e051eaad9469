-- The agent's scratch files, one set a user.
CREATE TABLE IF NOT EXISTS scratch_files (
    user_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL, updated_at TEXT NOT NULL,
    seen TEXT NOT NULL DEFAULT '', -- the row policies under which it was written
    PRIMARY KEY (user_id, path)
);
