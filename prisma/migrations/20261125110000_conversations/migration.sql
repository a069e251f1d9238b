-- What people ask about their organization's data, and what they were answered. It is theirs alone, ends 30 days after the last
-- message, and is personal: no trail and no log has any of it, and nothing of it is remembered or announced.
CREATE TYPE "chat_module" AS ENUM ('emissions', 'compliance', 'credits', 'market');
CREATE TYPE "chat_role" AS ENUM ('user', 'assistant');
CREATE TYPE "chat_engine" AS ENUM ('rules', 'model');

CREATE TABLE "conversations" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "module" "chat_module" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_message_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversations_pkey" PRIMARY KEY ("organization_id", "id"),
    CONSTRAINT "conversations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "conversations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "conversations_created_at_range"
        CHECK ("created_at" >= '0001-01-01 00:00:00Z' AND "created_at" < '10000-01-01 00:00:00Z'),
    CONSTRAINT "conversations_last_message_at_range"
        CHECK ("last_message_at" >= '0001-01-01 00:00:00Z' AND "last_message_at" < '10000-01-01 00:00:00Z')
);
CREATE INDEX "conversations_organization_id_user_id_last_message_at_idx" ON "conversations"("organization_id", "user_id", "last_message_at");

-- `details` of an answer: {figures, queries, sources, followUps, notices, question}.
CREATE TABLE "chat_messages" (
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "role" "chat_role" NOT NULL,
    "said" TEXT NOT NULL,
    "engine" "chat_engine",
    "details" JSONB,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chat_messages_pkey" PRIMARY KEY ("organization_id", "conversation_id", "position"),
    CONSTRAINT "chat_messages_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "chat_messages_organization_id_conversation_id_fkey" FOREIGN KEY ("organization_id", "conversation_id")
        REFERENCES "conversations"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "chat_messages_position_range" CHECK ("position" BETWEEN 0 AND 39),
    CONSTRAINT "chat_messages_said_length" CHECK (char_length("said") <= 16000),
    CONSTRAINT "chat_messages_details_of_answers" CHECK (("role" = 'assistant') = ("engine" IS NOT NULL AND "details" IS NOT NULL)),
    CONSTRAINT "chat_messages_sent_at_range" CHECK ("sent_at" >= '0001-01-01 00:00:00Z' AND "sent_at" < '10000-01-01 00:00:00Z')
);

-- The lists of src/data/database/grants.ts.
GRANT SELECT ON "conversations", "chat_messages" TO gateway_writer;
GRANT INSERT (id, organization_id, user_id, module, created_at, last_message_at), UPDATE (last_message_at), DELETE ON conversations
    TO gateway_writer;
GRANT INSERT (organization_id, user_id, conversation_id, position, role, said, engine, details, sent_at) ON chat_messages
    TO gateway_writer;
SELECT policy_attach('conversations', 'organization_id');
SELECT policy_attach('chat_messages', 'organization_id');
