/** The value of a metric without labels, or of `name{label="value"}`, as a process reports it. */
export async function metricOf(metricsUrl: string, name: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? NaN);
}
