const testPerson: Record<string, string> = {
  first_name: 'Test User',
  username: 'test_user',
  external_id: 'test',
};

/** The example of an event with a person who is plainly made up, because receivers of a test may not read its header. */
export function withTestPerson<T>(example: T): T {
  const text = JSON.stringify(example, (key, value: unknown) =>
    typeof value === 'string' ? (testPerson[key] ?? value) : value,
  );
  return JSON.parse(text) as T;
}
