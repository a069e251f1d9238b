-- Entries of a person, and about a kind of thing, without reading those of others.

CREATE INDEX "audit_entries_organization_id_actor_id_seq_idx" ON "audit_entries"("organization_id", "actor_id", "seq");
CREATE INDEX "audit_entries_organization_id_target_type_seq_idx" ON "audit_entries"("organization_id", "target_type", "seq");
