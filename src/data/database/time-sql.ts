/** Returns SQL that formats a timestamptz column in ISO 8601, regardless of the connection's DateStyle. */
export const timeSql = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
