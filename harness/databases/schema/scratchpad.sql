-- The agent's scratch files, one set a user.
CREATE TABLE IF NOT EXISTS scratch_files (
    user_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL, updated_at TEXT NOT NULL,
    PRIMARY KEY (user_id, path)
);
