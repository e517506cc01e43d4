/** How long `count` calls take, four at once. */
export async function secondsOf(count: number, run: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const began = performance.now();
  const caller = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all([caller(), caller(), caller(), caller()]);
  return (performance.now() - began) / 1000;
}
