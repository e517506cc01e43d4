import { limits } from '../../../src/base/contract/limits';
import { api, type TrackedEvent } from '../api';
import {
  Cell,
  ChannelName,
  Chip,
  ClearFilters,
  ClipId,
  CodeBlock,
  Empty,
  NoMatch,
  None,
  Pager,
  Problem,
  SearchField,
  Select,
  SubscriberFilter,
  Table,
  Time,
} from '../elements';
import { PersonLink, useSubscribers, type KnownSubscribers } from '../people';
import { useResource } from '../resource';
import { Heading, useFilters, usePages } from '../router';
import { t } from '../texts';
import { since, spans } from './delivery-log';

const REFRESH_MS = 5_000;
/** The same in every language. */
const EXAMPLE = 'purchase';
const PROPERTIES_SHOWN = 2;

/** What the users of the project did, as it reported through the API. */
export function TrackedEvents() {
  const filters = useFilters(['name', 'subscriber', 'hours']);
  const { name, subscriber, hours } = filters.values;
  const pages = usePages();
  const found = useResource(
    () =>
      api.trackedEvents({
        name,
        subscriber_id: subscriber,
        since: hours === '' ? '' : since(hours),
        cursor: pages.cursor,
      }),
    JSON.stringify([filters.values, pages.cursor]),
    REFRESH_MS,
  );
  const list = found.data?.data;
  const people = useSubscribers((list ?? []).map(({ subscriber_id }) => subscriber_id));
  return (
    <>
      <Heading title={t.trackedEvents} />
      <p class="lead">{t.trackedEventsLead}</p>
      <div class="filters">
        <SearchField
          label={t.eventName}
          placeholder={EXAMPLE}
          maxLength={limits.trackedNameLength}
          value={name}
          onChange={(value) => filters.set('name', value.toLowerCase())}
        />
        <SubscriberFilter value={subscriber} onChange={(value) => filters.set('subscriber', value)} />
        <Select
          label={t.time}
          value={hours}
          options={spans()}
          onChange={(value) => filters.set('hours', value)}
        />
        <ClearFilters filters={filters} />
      </div>
      <Problem error={found.error} />
      {list?.length === 0 &&
        (filters.isFiltered ? (
          <NoMatch icon="cursor" title={t.noTrackedEventsMatch} filters={filters} />
        ) : (
          <Empty icon="cursor" title={t.noTrackedEvents} text={t.noTrackedEventsText}>
            <CodeBlock code={SAMPLE} label={t.sampleRequest} />
          </Empty>
        ))}
      {list && list.length > 0 && (
        <Table
          label={t.trackedEvents}
          columns={[
            t.receivedAt,
            t.eventName,
            t.subscriber,
            t.channel,
            t.properties,
            { title: t.occurredAt, givesWay: 'soon' },
            { title: t.eventId, givesWay: 'soon' },
          ]}
        >
          {list.map((event) => (
            <Row
              people={people}
              key={`${event.event_id} ${event.subscriber_id} ${event.received_at}`}
              event={event}
              onName={() => filters.set('name', event.name)}
            />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </>
  );
}

const SAMPLE = `POST /v1/events

{
  "events": [{
    "name": "purchase",
    "external_id": "user-42",
    "properties": { "amount": 49.9 },
    "event_id": "order-1001"
  }]
}`;

function Row(props: { event: TrackedEvent; people: KnownSubscribers; onName: () => void }) {
  const { event, people, onName } = props;
  return (
    <tr>
      {/* The list is in this order; an event can be reported long after it occurred. */}
      <Cell label={t.receivedAt}>
        <Time at={event.received_at} />
      </Cell>
      <Cell label={t.eventName} lead>
        <button type="button" class="chip" title={event.name} onClick={onName}>
          {event.name}
        </button>
      </Cell>
      <Cell label={t.subscriber}>
        <PersonLink id={event.subscriber_id} known={people} />
      </Cell>
      <Cell label={t.channel}>
        <ChannelName channel={event.channel} />
      </Cell>
      <Cell label={t.properties} class="rest">
        <PropertyChips properties={event.properties} />
      </Cell>
      <Cell label={t.occurredAt} givesWay="soon">
        {event.occurred_at === event.received_at ? <None /> : <Time at={event.occurred_at} />}
      </Cell>
      <Cell label={t.eventId} givesWay="soon">
        <ClipId>{event.event_id}</ClipId>
      </Cell>
    </tr>
  );
}

function PropertyChips({ properties }: Pick<TrackedEvent, 'properties'>) {
  const all = Object.entries(properties).map(([key, value]) => `${key}: ${String(value)}`);
  if (all.length === 0) return <None />;
  return (
    <span class="chips">
      {all.slice(0, PROPERTIES_SHOWN).map((text) => (
        <Chip key={text} title={text}>
          {text}
        </Chip>
      ))}
      {all.length > PROPERTIES_SHOWN && (
        <Chip title={all.join(', ')}>{t.moreTags(all.length - PROPERTIES_SHOWN)}</Chip>
      )}
    </span>
  );
}
