/** SQL: a time for a cursor, in UTC with microseconds, so that pages neither skip nor repeat rows. */
export function cursorTime(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
