-- Users and groups of an organization's own directory, which creates, changes and disables accounts by SCIM 2.0.
ALTER TABLE "users" ADD COLUMN "disabled_by" UUID;

CREATE TABLE "directory_users" (
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "user_name" TEXT NOT NULL,
    "external_id" TEXT COLLATE "C",
    "given_name" TEXT,
    "family_name" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "directory_users_pkey" PRIMARY KEY ("organization_id", "user_id"),
    -- A member who is removed leaves the directory.
    CONSTRAINT "directory_users_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id")
        REFERENCES "memberships"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "directory_users_user_name_length" CHECK (char_length("user_name") BETWEEN 1 AND 254),
    CONSTRAINT "directory_users_external_id_length" CHECK (char_length("external_id") BETWEEN 1 AND 254),
    CONSTRAINT "directory_users_given_name_length" CHECK (char_length("given_name") BETWEEN 1 AND 200),
    CONSTRAINT "directory_users_family_name_length" CHECK (char_length("family_name") BETWEEN 1 AND 200),
    CONSTRAINT "directory_users_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "directory_users_updated_at_range" CHECK ("updated_at" >= '0001-01-01 00:00:00Z' AND "updated_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "directory_users_user_name_key" ON "directory_users"("organization_id", lower("user_name"));
CREATE INDEX "directory_users_user_id_idx" ON "directory_users"("user_id");

CREATE TABLE "directory_groups" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "display_name" TEXT NOT NULL,
    "external_id" TEXT COLLATE "C",
    "role" "member_role",
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "directory_groups_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "directory_groups_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "directory_groups_display_name_length" CHECK (char_length("display_name") BETWEEN 1 AND 254),
    CONSTRAINT "directory_groups_external_id_length" CHECK (char_length("external_id") BETWEEN 1 AND 254),
    CONSTRAINT "directory_groups_role_known" CHECK ("role" <> 'owner'),
    CONSTRAINT "directory_groups_created_at_range" CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "directory_groups_updated_at_range" CHECK ("updated_at" >= '0001-01-01 00:00:00Z' AND "updated_at" < '10000-01-01 00:00:00Z')
);
CREATE UNIQUE INDEX "directory_groups_display_name_key" ON "directory_groups"("organization_id", lower("display_name"));
CREATE UNIQUE INDEX "directory_groups_organization_id_id_key" ON "directory_groups"("organization_id", "id");

CREATE TABLE "directory_members" (
    "organization_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "directory_members_pkey" PRIMARY KEY ("group_id", "user_id"),
    CONSTRAINT "directory_members_organization_id_group_id_fkey" FOREIGN KEY ("organization_id", "group_id")
        REFERENCES "directory_groups"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "directory_members_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id")
        REFERENCES "directory_users"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION
);
CREATE INDEX "directory_members_organization_id_user_id_idx" ON "directory_members"("organization_id", "user_id");

SELECT version_attach('directory_users');
SELECT version_attach('directory_groups');
SELECT policy_attach('directory_users', 'organization_id');
SELECT policy_attach('directory_groups', 'organization_id');
SELECT policy_attach('directory_members', 'organization_id');

-- The lists of src/data/database/schema/grants.ts.
GRANT SELECT ON directory_users, directory_groups, directory_members TO gateway_writer;
GRANT INSERT (organization_id, user_id, user_name, external_id, given_name, family_name, active, created_at, updated_at),
    UPDATE (user_name, external_id, given_name, family_name, active, updated_at) ON directory_users TO gateway_writer;
GRANT INSERT (organization_id, display_name, external_id, created_at, updated_at), UPDATE (display_name, external_id, role, updated_at),
    DELETE ON directory_groups TO gateway_writer;
GRANT INSERT (organization_id, group_id, user_id), DELETE ON directory_members TO gateway_writer;
GRANT UPDATE (disabled_by) ON users TO gateway_writer;

-- An organization with a proven domain changes the addresses and the state of those whom its directory holds.
DO $$
DECLARE
    known CONSTANT text := 'OR OLD.email_confirmed_at IS NULL AND';
    former CONSTANT text := pg_get_functiondef('users_keep_addresses()'::regprocedure);
BEGIN
    IF position(known IN former) = 0 THEN
        RAISE EXCEPTION 'users_keep_addresses() is not the function that this migration changes';
    END IF;
    EXECUTE replace(former, known, 'OR current_setting(''gateway.actor'', true) LIKE ''service_account %''
            AND EXISTS (SELECT FROM directory_users AS d JOIN domains AS p ON p.organization_id = d.organization_id AND p.proven_at IS NOT NULL
                WHERE d.user_id = NEW.id AND d.organization_id = nullif(current_setting(''gateway.organization'', true), '''')::uuid)
            AND (NEW.disabled_by IS NULL OR NEW.disabled_by = current_setting(''gateway.organization'', true)::uuid)
        ' || known);
END $$;

-- It ends the sessions in other organizations of an account that it has disabled.
ALTER POLICY own_update ON "sessions" USING (organization_id = nullif(current_setting('gateway.organization', true), '')::uuid
    OR organization_id IS NULL OR 'user ' || user_id = current_setting('gateway.actor', true)
    OR EXISTS (SELECT FROM users AS u WHERE u.id = user_id
        AND u.disabled_by = nullif(current_setting('gateway.organization', true), '')::uuid));

-- A member whose account the directory creates is named after that.
DO $$
DECLARE
    former CONSTANT text := pg_get_functiondef('audit_record()'::regprocedure);
    changed text := former;
    part text[];
BEGIN
    FOREACH part SLICE 1 IN ARRAY ARRAY[
        ['noun IN (''domain'', ''factor''', 'noun IN (''domain'', ''member'', ''factor'''],
        ['OR noun = ''organization'' AND', 'OR noun = ''member'' AND current_setting(''gateway.action'', true) = ''account.provisioned''
            OR noun = ''organization'' AND']
    ] LOOP
        IF position(part[1] IN changed) = 0 THEN
            RAISE EXCEPTION 'audit_record() is not the function that this migration changes';
        END IF;
        changed := replace(changed, part[1], part[2]);
    END LOOP;
    EXECUTE changed;
END $$;
SELECT audit_allow('directory_group.created', 'directory_group.deleted', 'directory_group.mapped', 'directory_group.updated',
    'directory_member.created', 'directory_member.deleted', 'directory_user.created', 'directory_user.deactivated',
    'directory_user.deleted', 'directory_user.reactivated', 'directory_user.updated');
DO $$
BEGIN
    -- Single sign-on creates accounts, too.
    IF (SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'audit_entries'::regclass AND conname = 'audit_entries_action_known') NOT LIKE '%''account.provisioned''%' THEN
        PERFORM audit_allow('account.provisioned');
    END IF;
END $$;
SELECT audit_attach('directory_users', '{"noun": "directory_user", "organization": "organization_id", "key": ["user_id"],
    "masked": ["user_name", "external_id", "given_name", "family_name"], "untold": ["created_at", "updated_at"]}');
SELECT audit_attach('directory_groups', '{"noun": "directory_group", "organization": "organization_id", "key": ["id"],
    "masked": ["external_id"], "untold": ["created_at", "updated_at"]}');
SELECT audit_attach('directory_members', '{"noun": "directory_member", "organization": "organization_id", "key": ["user_id"]}',
    '{INSERT,DELETE}');
