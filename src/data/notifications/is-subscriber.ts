/**
 * SQL that is true if the database gets its rows from another one by logical replication. The other one's gateways then
 * notify people.
 */
export const IS_SUBSCRIBER = `EXISTS (SELECT FROM pg_subscription
  WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
