/**
 * Whether the database gets its rows from another one by logical replication, in SQL. People are then told by the gateways
 * of that one.
 */
export const IS_SUBSCRIBER = `EXISTS (SELECT FROM pg_subscription
  WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
