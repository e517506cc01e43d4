/** One scrape of a process, read as Prometheus does. */
export interface Scrape {
  text: string;
  /** Every metric by its type, as the page declares it. */
  types: Map<string, string>;
  /** The sum of the samples with these labels; 0 where there is none. */
  value(name: string, labels?: Record<string, string>): number;
}

export async function scrape(operatorsUrl: string): Promise<Scrape> {
  const response = await fetch(`${operatorsUrl}/metrics`);
  if (!response.ok) throw new Error(`the metrics answered ${response.status}`);
  const text = await response.text();
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const samples = [...text.matchAll(/^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$/gm)];
  return {
    text,
    types,
    value(name, labels = {}) {
      const wanted = Object.entries(labels).map(([label, word]) => `${label}="${word}"`);
      return samples
        .filter(([, found, set = '']) => found === name && wanted.every((pair) => set.includes(pair)))
        .reduce((sum, [, , , value]) => sum + Number(value), 0);
    },
  };
}
