-- The owner of a deadline is mostly a person, and the trail, which nobody can change, holds no names of people.

-- No audit entry may wait while triggers are replaced.
SET CONSTRAINTS ALL IMMEDIATE;

DROP TRIGGER "compliance_deadlines_audit_insert" ON "compliance_deadlines";
DROP TRIGGER "compliance_deadlines_audit_update" ON "compliance_deadlines";
DROP TRIGGER "compliance_deadlines_audit_delete" ON "compliance_deadlines";
DROP TRIGGER "compliance_deadlines_audit_truncate" ON "compliance_deadlines";

SELECT audit_attach('compliance_deadlines', '{"noun": "deadline", "organization": "organization_id",
    "key": ["organization_id", "id"], "masked": ["owner"], "untold": ["version"], "marks": {"completed_on": ["completed", "reopened"]}}');
