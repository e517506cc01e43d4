import { api, type MessageRecord } from '../api';
import {
  Badge,
  Cell,
  ChannelName,
  Chip,
  ClearFilters,
  CreateButton,
  Empty,
  NoMatch,
  Pager,
  Problem,
  Select,
  SubscriberFilter,
  Table,
  Time,
} from '../elements';
import { PersonLink, useSubscribers } from '../people';
import { useResource } from '../resource';
import { Heading, Link, useFilters, usePages } from '../router';
import { messageState } from '../states';
import { t } from '../texts';
import { since, spans } from './delivery-log';
import { sourcePath } from './message';
import { reasonText } from './send-reason';

const REFRESH_MS = 5_000;

/** Every message of the project, with filters by source, result, person and time. */
export function Messages() {
  const filters = useFilters(['source', 'source_id', 'status', 'subscriber', 'hours']);
  const { source, source_id, status, subscriber, hours } = filters.values;
  const pages = usePages();
  const found = useResource(
    () =>
      api.messageLog({
        source,
        source_id,
        status,
        subscriber_id: subscriber,
        since: since(hours),
        cursor: pages.cursor,
      }),
    JSON.stringify([filters.values, pages.cursor]),
    pages.isFirst ? REFRESH_MS : undefined,
  );
  const list = found.data?.data;
  const known = useSubscribers((list ?? []).map((message) => message.subscriber_id));
  const options = (words: Record<string, string>) => [
    { value: '', text: t.any },
    ...Object.entries(words).map(([value, text]) => ({ value, text })),
  ];
  return (
    <>
      <Heading title={t.results.messages} />
      <p class="lead">{t.results.messagesLead}</p>
      <div class="filters">
        <SubscriberFilter value={subscriber} onChange={(value) => filters.set('subscriber', value)} />
        <Select
          label={t.status}
          value={status}
          onChange={(value) => filters.set('status', value)}
          options={options(t.messageStates)}
        />
        <Select
          label={t.results.source}
          value={source}
          onChange={(value) => filters.set('source', value)}
          options={options(t.messageSources)}
        />
        <Select
          label={t.results.when}
          value={hours}
          onChange={(value) => filters.set('hours', value)}
          options={spans()}
        />
        {source_id !== '' && <Chip title={source_id}>{t.results.oneSource}</Chip>}
        <ClearFilters filters={filters} />
      </div>
      <Problem error={found.error} />
      {list?.length === 0 &&
        (filters.isFiltered ? (
          <NoMatch icon="envelope" title={t.results.noMessagesMatch} filters={filters} />
        ) : (
          <Empty icon="envelope" title={t.results.noMessages} text={t.results.noMessagesText}>
            <CreateButton scope="send" to="/dashboard/broadcasts/new" text={t.newBroadcast} />
          </Empty>
        ))}
      {list && list.length > 0 && (
        <Table
          label={t.results.messages}
          columns={[
            t.results.text,
            t.results.person,
            t.status,
            t.results.source,
            { title: t.channel, givesWay: 'soon' },
            t.results.when,
          ]}
        >
          {list.map((message) => (
            <Row key={message.delivery_id} message={message} known={known} />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </>
  );
}

function Row(props: { message: MessageRecord; known: ReturnType<typeof useSubscribers> }) {
  const { message } = props;
  const state = messageState(message);
  const text = message.text ?? t.results.hiddenText;
  const path = sourcePath(message);
  const name = t.messageSources[message.source];
  return (
    <tr>
      <Cell label={t.results.text} lead>
        <Link to={`/dashboard/messages/${message.delivery_id}`} class="clip" title={text}>
          {text}
        </Link>
      </Cell>
      <Cell label={t.results.person}>
        <PersonLink id={message.subscriber_id} known={props.known} />
      </Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>{' '}
        {message.reason && (
          <span class="hint clip" title={reasonText(message.reason)}>
            {reasonText(message.reason)}
          </span>
        )}
      </Cell>
      <Cell label={t.results.source}>{path ? <Link to={path}>{name}</Link> : name}</Cell>
      <Cell label={t.channel} givesWay="soon">
        <ChannelName channel={message.channel} />
      </Cell>
      <Cell label={t.results.when}>
        <Time at={message.created_at} />
      </Cell>
    </tr>
  );
}
