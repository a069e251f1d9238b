-- Which pepper a key's hash was made with: a fingerprint of it, or `none`; null for keys that are older than this note.
-- So an operator who has changed the pepper can tell which keys still hang on the one before.
ALTER TABLE "api_keys" ADD COLUMN "pepper" TEXT;
