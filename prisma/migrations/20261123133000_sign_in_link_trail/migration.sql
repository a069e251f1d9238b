-- Whoever makes a link that signs a person in leaves a trace, in the platform's chain. What becomes of the link is told by
-- the session that it opens.
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_action_known",
    -- The list of src/domain/audit-actions.ts.
    ADD CONSTRAINT "audit_entries_action_known" CHECK ("action" IN (
        'api_key.created', 'api_key.deleted', 'api_key.restored', 'api_key.revoked', 'api_key.rotated', 'api_key.updated',
        'invitation.accepted', 'invitation.created', 'invitation.deleted', 'invitation.revoked', 'invitation.updated',
        'member.created', 'member.deleted', 'member.updated',
        'organization.created', 'organization.deleted', 'organization.updated',
        'session.deleted', 'session.ended', 'session.updated',
        'sign_in_link.created',
        'user.created', 'user.deleted', 'user.disabled', 'user.enabled', 'user.password_changed', 'user.updated'));

SELECT audit_attach('sign_in_links', '{"noun": "sign_in_link", "key": ["id"], "masked": ["token_hash"]}', '{INSERT}');
