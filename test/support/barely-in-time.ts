/**
 * Sends a request whose input is valid for a short time only, and returns both. If the machine was too slow (400), it repeats
 * with four times as long.
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
