import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { can } from '../access';
import { api, query, type Subscriber } from '../api';
import {
  Allowed,
  Badge,
  Cell,
  ChannelName,
  Chip,
  ClearFilters,
  ClipId,
  Copyable,
  DownloadButton,
  Empty,
  NoMatch,
  None,
  Pager,
  Problem,
  SearchField,
  Select,
  SelectCell,
  Table,
  Time,
  type Selection,
} from '../elements';
import { messengerLinks, messengerOptions } from '../messengers';
import { useResource } from '../resource';
import { Heading, Link, useFilters, usePages } from '../router';
import { subscriberState } from '../states';
import { t } from '../texts';
import { BulkTags } from './bulk-tags';

const TAGS_SHOWN = 3;

export function Subscribers() {
  const filters = useFilters(['q', 'channel', 'active', 'tag']);
  const { q, channel, active, tag } = filters.values;
  const pages = usePages();
  const found = useResource(
    () => api.subscribers({ q, channel, active, tag, cursor: pages.cursor }),
    JSON.stringify([filters.values, pages.cursor]),
  );
  const list = found.data?.data;
  const [chosen, setChosen] = useState<string[]>([]);
  const [tagging, setTagging] = useState<Subscriber[]>([]);
  const selected = (list ?? []).filter(({ subscriber_id }) => chosen.includes(subscriber_id));
  const selection = can('manage')
    ? {
        all: (list ?? []).map(({ subscriber_id }) => subscriber_id),
        chosen: selected.map(({ subscriber_id }) => subscriber_id),
        onChange: setChosen,
        text: t.results.selectedPeople(selected.length),
        actions: (
          <button type="button" class="btn small" onClick={() => setTagging(selected)}>
            {t.results.editTags}
          </button>
        ),
      }
    : undefined;
  return (
    <>
      <div class="heading">
        <Heading title={t.subscribers} />
        <span class="actions">
          <DownloadButton
            path={`/v1/export/subscribers${query(filters.values)}`}
            filename="subscribers.csv"
            text={t.exportCsv}
          />
          <Allowed scope="manage">
            <Link to="/dashboard/subscribers/import" class="btn">
              {t.importCsv}
            </Link>
          </Allowed>
        </span>
      </div>
      <p class="lead">{t.subscribersLead}</p>
      <div class="filters">
        <SearchField
          label={t.search}
          placeholder={t.searchSubscribers}
          maxLength={limits.externalIdLength}
          value={q}
          onChange={(value) => filters.set('q', value)}
        />
        <Select
          label={t.channel}
          value={channel}
          onChange={(value) => filters.set('channel', value)}
          options={[{ value: '', text: t.any }, ...messengerOptions()]}
        />
        <Select
          label={t.status}
          value={active}
          onChange={(value) => filters.set('active', value)}
          options={[
            { value: '', text: t.any },
            { value: 'true', text: t.subscriberActive },
            { value: 'false', text: t.subscriberInactive },
          ]}
        />
        <ClearFilters filters={filters} />
      </div>
      <Problem error={found.error} />
      {list?.length === 0 &&
        (filters.isFiltered ? (
          <NoMatch icon="users" title={t.noSubscribersMatch} filters={filters} />
        ) : (
          <NoSubscribers />
        ))}
      {list && list.length > 0 && (
        <Table
          label={t.subscribers}
          selection={selection}
          columns={[
            t.personName,
            t.channel,
            t.status,
            { title: t.externalId, givesWay: 'late' },
            t.tags,
            t.since,
          ]}
        >
          {list.map((subscriber) => (
            <Row
              key={subscriber.subscriber_id}
              subscriber={subscriber}
              selection={selection}
              onTag={(name) => filters.set('tag', name)}
            />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {tagging.length > 0 && (
        <BulkTags
          people={tagging}
          onClose={() => setTagging([])}
          onSaved={async () => {
            setChosen([]);
            await found.reload();
          }}
        />
      )}
    </>
  );
}

/** Offers the links by which people subscribe. */
function NoSubscribers() {
  const links = useResource(api.subscribeLinks, 'links');
  return (
    <Empty icon="users" title={t.noSubscribers} text={t.noSubscribersText}>
      <dl class="facts">
        {messengerLinks(links.data ?? {}).map(({ channel, link }) => (
          <Fragment key={link}>
            <dt>
              <ChannelName channel={channel} />
            </dt>
            <dd>
              <Copyable text={link} label={t.copyLink} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </Empty>
  );
}

function Row(props: {
  subscriber: Subscriber;
  selection: Selection | undefined;
  onTag: (tag: string) => void;
}) {
  const { subscriber, selection, onTag } = props;
  const state = subscriberState(subscriber);
  return (
    <tr>
      {selection && (
        <SelectCell
          id={subscriber.subscriber_id}
          label={t.results.selectPerson(subscriber.first_name)}
          selection={selection}
        />
      )}
      <Cell label={t.personName} lead>
        <Link to={`/dashboard/subscribers/${subscriber.subscriber_id}`} class="clip">
          <bdi>{subscriber.first_name}</bdi>
        </Link>{' '}
        {subscriber.username && <span class="hint clip">@{subscriber.username}</span>}
      </Cell>
      <Cell label={t.channel}>
        <ChannelName channel={subscriber.channel} />
      </Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
      </Cell>
      <Cell label={t.externalId} givesWay="late">
        {subscriber.external_id === null ? <None /> : <ClipId>{subscriber.external_id}</ClipId>}
      </Cell>
      <Cell label={t.tags}>
        <Tags tags={subscriber.tags} onTag={onTag} />
      </Cell>
      <Cell label={t.since}>
        <Time at={subscriber.created_at} />
      </Cell>
    </tr>
  );
}

function Tags({ tags, onTag }: { tags: string[]; onTag: (tag: string) => void }) {
  if (tags.length === 0) return <None />;
  return (
    <span class="chips">
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <button key={tag} type="button" class="chip" title={tag} onClick={() => onTag(tag)}>
          {tag}
        </button>
      ))}
      {tags.length > TAGS_SHOWN && (
        <Chip title={tags.join(', ')}>{t.moreTags(tags.length - TAGS_SHOWN)}</Chip>
      )}
    </span>
  );
}
