/** A time as cursors carry it: UTC with microseconds, so that nothing is lost between two pages. */
export function cursorTime(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
