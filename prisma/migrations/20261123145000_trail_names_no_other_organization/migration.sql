-- A session that goes from one organization to another is told to both; neither is to learn which the other one is.
DROP TRIGGER "sessions_audit_update" ON "sessions";
DROP TRIGGER "sessions_audit_delete" ON "sessions";
DROP TRIGGER "sessions_audit_truncate" ON "sessions";
SELECT audit_attach('sessions', '{"noun": "session", "organization": "organization_id", "key": ["id"], "masked": ["organization_id"],
    "untold": ["token_hash", "token_expires_at", "refresh_hash", "authenticated_at", "last_used_at", "address", "user_agent"],
    "marks": {"revoked_at": ["ended"]}}', '{UPDATE,DELETE}');
