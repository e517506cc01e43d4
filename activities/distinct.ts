/** The activities of one task queue. Of two with one name, the worker would run the last for both workflows. */
export function distinct(...groups: object[]): object {
  const activities = groups.flatMap((group) => Object.entries(group));
  const names = activities.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw new Error(`two activities of one task queue are called ${repeated}`);
  return Object.fromEntries(activities);
}
