-- The second lock of the write door: what people's requests write, they write as the role gateway_writer. It has rights to
-- single columns, and policies that keep it to the organization that the door names. Nobody else notices the policies.

DO $$
BEGIN
    IF to_regrole('gateway_writer') IS NULL THEN
        CREATE ROLE gateway_writer NOLOGIN;
        GRANT gateway_writer TO CURRENT_USER;
    END IF;
EXCEPTION
    -- Roles belong to all databases of a server: another one was migrated at the same time.
    WHEN duplicate_object OR unique_violation THEN NULL;
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'the role gateway_writer does not exist, and % may not create it. As a superuser, run once: CREATE ROLE gateway_writer; GRANT gateway_writer TO %',
            current_user, quote_ident(current_user)
            USING ERRCODE = 'undefined_object';
END $$;

-- The list of src/data/database/grants.ts.
DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO gateway_writer', current_schema()); END $$;
GRANT SELECT ON organizations, api_keys, key_events, facilities, emission_records, emission_days, imports, replaced_records,
    compliance_statuses, compliance_deadlines, credit_batches, credit_sales, credit_retirements, benchmarks, market_prices,
    exchange_feeds, users, memberships, sessions, spent_refresh_tokens, sign_in_links, invitations, audit_entries, audit_heads
    TO gateway_writer;
GRANT INSERT (id, slug, name), UPDATE (name) ON organizations TO gateway_writer;
GRANT INSERT (id, email, name, password_hash, password_changed_at), UPDATE (name, password_hash, password_changed_at)
    ON users TO gateway_writer;
GRANT INSERT (organization_id, user_id, role), UPDATE (role), DELETE ON memberships TO gateway_writer;
GRANT INSERT (id, organization_id, email, role, token_hash, invited_by, expires_at, created_at),
    UPDATE (accepted_at, revoked_at) ON invitations TO gateway_writer;
GRANT INSERT (id, user_id, organization_id, kind, token_hash, token_expires_at, refresh_hash, authenticated_at, last_used_at,
        expires_at, address, user_agent, created_at),
    UPDATE (organization_id, token_hash, token_expires_at, refresh_hash, authenticated_at, last_used_at, expires_at, revoked_at)
    ON sessions TO gateway_writer;
GRANT INSERT (session_id, hash, used_at) ON spent_refresh_tokens TO gateway_writer;
GRANT UPDATE (used_at) ON sign_in_links TO gateway_writer;
GRANT INSERT (id, organization_id, name, hash, pepper, display, tier, scopes, expires_at, created_at),
    UPDATE (name, tier, scopes, expires_at, revoked_at) ON api_keys TO gateway_writer;

-- Keeps gateway_writer to rows of `gateway.organization`, which is in the column `owner`, and to those for which `further`
-- holds; it reads all rows. Other roles do as their rights allow.
CREATE FUNCTION policy_attach(name regclass, owner text, further text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    own CONSTANT text := format('%I = nullif(current_setting(''gateway.organization'', true), '''')::uuid', owner)
        || coalesce(' OR ' || further, '');
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY everybody ON %s USING (true)', name);
    EXECUTE format('CREATE POLICY own_insert ON %s AS RESTRICTIVE FOR INSERT TO gateway_writer WITH CHECK (%s)', name, own);
    EXECUTE format('CREATE POLICY own_update ON %s AS RESTRICTIVE FOR UPDATE TO gateway_writer USING (%s)', name, own);
    EXECUTE format('CREATE POLICY own_delete ON %s AS RESTRICTIVE FOR DELETE TO gateway_writer USING (%s)', name, own);
END $$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION policy_attach SET search_path = pg_catalog, %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION policy_attach FROM PUBLIC;

    PERFORM policy_attach('organizations', 'id');
    PERFORM policy_attach('memberships', 'organization_id');
    PERFORM policy_attach('invitations', 'organization_id');
    PERFORM policy_attach('api_keys', 'organization_id');
    -- A session is its person's, who may have one in another organization, or in none.
    PERFORM policy_attach('sessions', 'organization_id',
        'organization_id IS NULL OR ''user '' || user_id = current_setting(''gateway.actor'', true)');
    PERFORM policy_attach('facilities', 'organization_id');
    PERFORM policy_attach('emission_records', 'organization_id');
    PERFORM policy_attach('compliance_statuses', 'organization_id');
    PERFORM policy_attach('compliance_deadlines', 'organization_id');
    PERFORM policy_attach('credit_batches', 'organization_id');
    PERFORM policy_attach('credit_sales', 'organization_id');
    PERFORM policy_attach('credit_retirements', 'organization_id');
END $$;

-- Who signs in or registers acts before anybody knows who it is.
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_actor_type_known";
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_actor_type_known" CHECK ("actor_type" IN ('user', 'visitor', 'command', 'sql'));

DO $$
DECLARE
    known CONSTANT text := 'WHEN actor ~ ''^command .'' THEN';
BEGIN
    -- The rest of the function stays as it is.
    EXECUTE replace(pg_get_functiondef('audit_record()'::regprocedure), known,
        'WHEN actor = ''visitor'' THEN jsonb_build_object(''type'', ''visitor'', ''id'', NULL) ' || known);
END $$;
