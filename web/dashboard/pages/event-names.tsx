import { api, type EventType } from '../api';
import { useResource } from '../resource';
import { t } from '../texts';

/** What most projects look for, whether it has happened yet or not. */
const FIRST = 'auth.completed';

async function readTypes() {
  const [types, deliveries] = await Promise.all([
    api.eventTypes(),
    // An order only: without it the list is as it was.
    api.recentDeliveries().catch(() => ({ data: [] })),
  ]);
  const occurred = new Set([FIRST, ...deliveries.data.map(({ event }) => event)]);
  const rank = ({ name }: EventType) => (name === FIRST ? 0 : occurred.has(name) ? 1 : 2);
  return { types: [...types.data].sort((a, b) => rank(a) - rank(b)), occurred };
}

/** The event types, those that occurred lately first. */
export function useEventTypes() {
  const read = useResource(readTypes, 'event-types');
  const types = read.data?.types ?? [];
  return { error: read.error, types, occurred: read.data?.occurred ?? new Set<string>() };
}

/** The options of a list of events; `chosen` stands there before the types are read. */
export function EventOptions({ chosen }: { chosen?: string }) {
  const { types, occurred } = useEventTypes();
  const names = types.map(({ name }) => name);
  const recent = names.filter((name) => occurred.has(name));
  const others = names.filter((name) => !occurred.has(name));
  if (names.length === 0) return chosen ? <option value={chosen}>{chosen}</option> : null;
  return (
    <>
      <optgroup label={t.start.recent}>
        {recent.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </optgroup>
      <optgroup label={t.start.otherEvents}>
        {others.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </optgroup>
    </>
  );
}
