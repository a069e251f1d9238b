-- People, the organizations they belong to, and how they prove who they are. Of tokens and passwords only hashes are kept.

-- In order: each role may do what those before it may.
CREATE TYPE "member_role" AS ENUM ('viewer', 'editor', 'admin', 'owner');

CREATE TYPE "session_kind" AS ENUM ('browser', 'token');

CREATE TABLE "users" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "email" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "password_changed_at" TIMESTAMPTZ(3),
    "is_super_admin" BOOLEAN NOT NULL DEFAULT false,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "users_email_form" CHECK ("email" ~ '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+$'),
    CONSTRAINT "users_email_length" CHECK (char_length("email") <= 254),
    CONSTRAINT "users_name_not_blank" CHECK ("name" <> ''),
    CONSTRAINT "users_name_length" CHECK (char_length("name") <= 200),
    CONSTRAINT "users_password_hash_form" CHECK ("password_hash" ~ '^\$argon2id\$[!-~]{1,180}$'),
    CONSTRAINT "users_password_changed_at_range" CHECK ("password_changed_at" >= '0001-01-01 00:00:00Z' AND "password_changed_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "users_disabled_at_range" CHECK ("disabled_at" >= '0001-01-01 00:00:00Z' AND "disabled_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "users_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);

-- Lower case of ASCII letters, as the column's collation has it: the same on every server.
CREATE UNIQUE INDEX "users_email_key" ON "users"(lower("email"));

CREATE TABLE "memberships" (
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "member_role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("organization_id", "user_id"),
    CONSTRAINT "memberships_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "memberships_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- `organization_id` is the one that is active. A browser's session has no refresh token.
CREATE TABLE "sessions" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "organization_id" UUID,
    "kind" "session_kind" NOT NULL,
    "token_hash" TEXT NOT NULL,
    "token_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "refresh_hash" TEXT,
    "authenticated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "address" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "sessions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "sessions_token_hash_form" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "sessions_refresh_hash_form" CHECK ("refresh_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "sessions_refresh_hash_of_tokens" CHECK ("kind" = 'token' OR "refresh_hash" IS NULL),
    CONSTRAINT "sessions_address_length" CHECK (char_length("address") <= 200),
    CONSTRAINT "sessions_user_agent_length" CHECK (char_length("user_agent") <= 500),
    CONSTRAINT "sessions_token_expires_at_range" CHECK ("token_expires_at" >= '0001-01-01 00:00:00Z' AND "token_expires_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "sessions_authenticated_at_range" CHECK ("authenticated_at" >= '0001-01-01 00:00:00Z' AND "authenticated_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "sessions_last_used_at_range" CHECK ("last_used_at" >= '0001-01-01 00:00:00Z' AND "last_used_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "sessions_expires_at_range" CHECK ("expires_at" >= '0001-01-01 00:00:00Z' AND "expires_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "sessions_revoked_at_range" CHECK ("revoked_at" >= '0001-01-01 00:00:00Z' AND "revoked_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "sessions_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);

CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");
CREATE UNIQUE INDEX "sessions_refresh_hash_key" ON "sessions"("refresh_hash");
CREATE INDEX "sessions_user_id_created_at_idx" ON "sessions"("user_id", "created_at");
CREATE INDEX "sessions_organization_id_idx" ON "sessions"("organization_id");
-- For the removal of those that ended long ago.
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- Every refresh token that was used, for as long as its session is kept: one that comes again was stolen.
CREATE TABLE "spent_refresh_tokens" (
    "session_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spent_refresh_tokens_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "spent_refresh_tokens_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "spent_refresh_tokens_hash_form" CHECK ("hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "spent_refresh_tokens_used_at_range" CHECK ("used_at" >= '0001-01-01 00:00:00Z' AND "used_at" < '10000-01-01 00:00:00Z')
);

CREATE INDEX "spent_refresh_tokens_session_id_idx" ON "spent_refresh_tokens"("session_id");

CREATE TABLE "sign_in_links" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_links_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sign_in_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "sign_in_links_token_hash_form" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "sign_in_links_expires_at_range" CHECK ("expires_at" >= '0001-01-01 00:00:00Z' AND "expires_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "sign_in_links_used_at_range" CHECK ("used_at" >= '0001-01-01 00:00:00Z' AND "used_at" < '10000-01-01 00:00:00Z')
);

CREATE UNIQUE INDEX "sign_in_links_token_hash_key" ON "sign_in_links"("token_hash");
CREATE INDEX "sign_in_links_user_id_idx" ON "sign_in_links"("user_id");

-- `invited_by` is null for one that a command made.
CREATE TABLE "invitations" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "email" TEXT COLLATE "C" NOT NULL,
    "role" "member_role" NOT NULL,
    "token_hash" TEXT NOT NULL,
    "invited_by" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "invitations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "invitations_invited_by_fkey" FOREIGN KEY ("invited_by") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "invitations_email_form" CHECK ("email" ~ '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+$'),
    CONSTRAINT "invitations_email_length" CHECK (char_length("email") <= 254),
    CONSTRAINT "invitations_token_hash_form" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "invitations_ends_once" CHECK ("accepted_at" IS NULL OR "revoked_at" IS NULL),
    CONSTRAINT "invitations_expires_at_range" CHECK ("expires_at" >= '0001-01-01 00:00:00Z' AND "expires_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "invitations_accepted_at_range" CHECK ("accepted_at" >= '0001-01-01 00:00:00Z' AND "accepted_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "invitations_revoked_at_range" CHECK ("revoked_at" >= '0001-01-01 00:00:00Z' AND "revoked_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "invitations_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z')
);

CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");
CREATE INDEX "invitations_organization_id_created_at_idx" ON "invitations"("organization_id", "created_at");
CREATE INDEX "invitations_invited_by_idx" ON "invitations"("invited_by");

-- An organization that has members has an owner among them. Whoever changes a member holds the organization's row until
-- the transaction ends: so of two owners who demote each other at once, the second sees what the first has done.
CREATE FUNCTION membership_lock_organization() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM FROM organizations AS o WHERE o.id = OLD.organization_id FOR NO KEY UPDATE;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE FUNCTION membership_require_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    changed uuid;
BEGIN
    FOREACH changed IN ARRAY CASE TG_OP WHEN 'INSERT' THEN ARRAY[NEW.organization_id]
        WHEN 'DELETE' THEN ARRAY[OLD.organization_id] ELSE ARRAY[OLD.organization_id, NEW.organization_id] END
    LOOP
        IF EXISTS (SELECT FROM memberships AS m WHERE m.organization_id = changed)
            AND NOT EXISTS (SELECT FROM memberships AS m WHERE m.organization_id = changed AND m.role = 'owner') THEN
            RAISE EXCEPTION 'an organization that has members must have an owner'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'memberships_require_owner', TABLE = 'memberships';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

DO $$
DECLARE
    -- These come with the rows that replication brings.
    not_replicating CONSTANT text := 'WHEN (current_setting(''session_replication_role'') <> ''replica'' OR NOT is_replicating())';
    columns text;
    part record;
BEGIN
    EXECUTE format('CREATE TRIGGER memberships_lock_organization BEFORE UPDATE OR DELETE ON memberships
        FOR EACH ROW %s EXECUTE FUNCTION membership_lock_organization()', not_replicating);
    EXECUTE format('CREATE CONSTRAINT TRIGGER memberships_require_owner AFTER INSERT OR UPDATE OR DELETE ON memberships
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW %s EXECUTE FUNCTION membership_require_owner()', not_replicating);

    -- What a request with a session rests upon. A person is of no single organization; last_used_at decides nothing.
    SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
    WHERE attrelid = 'sessions'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'last_used_at';
    EXECUTE format('CREATE TRIGGER sessions_announce_change AFTER DELETE OR UPDATE OF %s ON sessions
        FOR EACH ROW EXECUTE FUNCTION announce_changed_row(''sessions'', ''organization_id'')', columns);
    CREATE TRIGGER users_announce_change AFTER UPDATE OR DELETE ON users
        FOR EACH ROW EXECUTE FUNCTION announce_changed_row('users');
    CREATE TRIGGER memberships_announce_change AFTER INSERT OR UPDATE OR DELETE ON memberships
        FOR EACH ROW EXECUTE FUNCTION announce_changed_row('memberships', 'organization_id');
    FOR part IN SELECT unnest(ARRAY['sessions', 'users', 'memberships']) AS name LOOP
        EXECUTE format('CREATE TRIGGER %1$s_announce_truncate AFTER TRUNCATE ON %1$I
            FOR EACH STATEMENT EXECUTE FUNCTION announce_changes_to_all()', part.name);
    END LOOP;

    FOR part IN
        SELECT tgname AS trigger, tgrelid::regclass AS "table" FROM pg_trigger
        WHERE NOT tgisinternal AND tgrelid = ANY (ARRAY['sessions', 'users', 'memberships']::regclass[])
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', part."table", part.trigger);
    END LOOP;
    FOR part IN SELECT unnest(ARRAY['membership_lock_organization()', 'membership_require_owner()']::regprocedure[]) AS name LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', part.name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', part.name);
    END LOOP;
END $$;
