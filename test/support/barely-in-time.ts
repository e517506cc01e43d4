/**
 * Makes a request whose time runs out soon, and returns it with what it was made of. A machine that needs longer than that
 * gets more time on the next try.
 */
export async function barelyInTime<T extends { status: number }, G>(
  given: (leftMs: number) => G,
  request: (given: G) => Promise<T>,
): Promise<{ given: G; response: T }> {
  for (let leftMs = 500; ; leftMs *= 4) {
    const made = given(leftMs);
    const response = await request(made);
    if (response.status !== 400 || leftMs > 20_000) return { given: made, response };
  }
}
