import { timeSql } from "../database/time-sql.js";

/** The columns of a CertificateRow, from `certificates AS c`. */
export const CERTIFICATE_COLUMNS = `c.number, c.request_id AS "requestId",
  ${timeSql("c.issued_at")} AS "issuedAt", c.opinion::text AS opinion, c.statement,
  c.digest, c.signature, c.kid AS "keyId", c.status::text AS status, c.superseded_by AS "supersededBy"`;

/** SQL for the latest snapshot of `verification_requests AS t` as JSON; null without one. */
export const LATEST_SNAPSHOT = `(SELECT json_build_object('number', s.number, 'recordCount', s.record_count, 'totals', s.totals,
    'digest', s.digest, 'takenAt', ${timeSql("s.taken_at")})
  FROM verification_snapshots AS s
  WHERE s.organization_id = t.organization_id AND s.request_id = t.id ORDER BY s.number DESC LIMIT 1)`;

/** SQL for the latest certificate of `verification_requests AS t` as JSON; null without one. */
export const LATEST_CERTIFICATE = `(SELECT row_to_json(last) FROM (SELECT ${CERTIFICATE_COLUMNS} FROM certificates AS c
  WHERE c.organization_id = t.organization_id AND c.request_id = t.id ORDER BY c.issued_at DESC, c.number DESC LIMIT 1) AS last)`;

/** SQL for the inventory issue of `verification_requests AS t` as JSON, without its statement; null without one. */
export const INVENTORY = `(SELECT json_build_object('year', i.year, 'issue', i.issue, 'basis', i.basis,
    'holdingsAsOf', to_char(i.holdings_as_of, 'YYYY-MM'), 'reasons', to_json(i.reasons), 'note', i.note, 'digest', i.digest,
    'issuedAt', ${timeSql("i.issued_at")})
  FROM inventory_issues AS i
  WHERE i.organization_id = t.organization_id AND i.year = t.inventory_year AND i.issue = t.inventory_issue)`;
