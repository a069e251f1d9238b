/**
 * SQL that is true if this database is a subscriber of logical replication. The publisher's gateways then notify
 * people.
 */
export const IS_SUBSCRIBER = `EXISTS (SELECT FROM pg_subscription
  WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
