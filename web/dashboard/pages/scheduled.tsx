import { useState } from 'preact/hooks';
import { can } from '../access';
import { api, type Scheduled } from '../api';
import {
  ActionCell,
  Allowed,
  Badge,
  Cell,
  ClearFilters,
  Clip,
  ConfirmDialog,
  CreateButton,
  Empty,
  None,
  Pager,
  PlannedTime,
  Problem,
  StatusSelect,
  Table,
  Time,
  toast,
} from '../elements';
import { plannedTime } from '../format';
import { audienceText } from '../message/audience';
import { contentHint, contentTitle, type TemplateNames } from '../message/placeholder-name';
import { useTemplateNames } from '../message/template-names';
import { PersonLink, useSubscribers, type KnownSubscribers } from '../people';
import { useResource } from '../resource';
import { Heading, Link, useFilters, usePages } from '../router';
import { scheduledState } from '../states';
import { t } from '../texts';

const REFRESH_MS = 5_000;

export function ScheduledMessages() {
  const pages = usePages();
  const filters = useFilters(['status'] as const);
  const { status } = filters.values;
  const [cancelling, setCancelling] = useState<Scheduled | null>(null);
  const found = useResource(
    () => api.scheduled({ status, cursor: pages.cursor }),
    `${status} ${pages.cursor ?? ''}`,
    REFRESH_MS,
  );
  const list = found.data?.data;
  const known = useSubscribers(list?.map(({ subscriber_id }) => subscriber_id) ?? []);
  const names = useTemplateNames(list?.map(({ content }) => content) ?? []);
  const isEmpty = list?.length === 0 && !filters.isFiltered;
  const create = <CreateButton scope="send" to="/dashboard/scheduled/new" text={t.newScheduled} />;
  return (
    <>
      <div class="heading">
        <Heading title={t.scheduled} />
        {!isEmpty && create}
      </div>
      <p class="lead">{t.scheduledLead}</p>
      {!isEmpty && (
        <div class="filters">
          <StatusSelect
            states={t.scheduledStates}
            value={status}
            onChange={(value) => filters.set('status', value)}
          />
          <ClearFilters filters={filters} />
        </div>
      )}
      <Problem error={found.error} />
      {list?.length === 0 && filters.isFiltered && <Empty icon="calendar" title={t.noScheduledMatch} />}
      {isEmpty && (
        <Empty icon="calendar" title={t.noScheduled} text={t.noScheduledText}>
          {create}
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table label={t.scheduled} columns={[t.message, t.recipient, t.sendsAt, t.status, `!${t.actions}`]}>
          {list.map((entry) => (
            <Row
              key={entry.scheduled_id}
              entry={entry}
              known={known}
              names={names}
              onCancel={() => setCancelling(entry)}
            />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {cancelling && (
        <ConfirmDialog
          title={t.cancelScheduledTitle}
          text={t.cancelScheduledText}
          confirm={t.cancelScheduled}
          dismiss={t.goBack}
          act={async () => {
            await api.cancelScheduled(cancelling.scheduled_id);
            toast(t.scheduledCancelled);
            await found.reload();
          }}
          onClose={() => setCancelling(null)}
        />
      )}
    </>
  );
}

/** Each recipient's own clock has no moment: it is shown as it was chosen. */
function SendTime({ entry }: { entry: Scheduled }) {
  if (entry.timezone === 'recipient') {
    return (
      <>
        <span class="figure">{plannedTime(new Date(`${entry.scheduled_at.slice(0, 16)}Z`), 'UTC')}</span>{' '}
        <span class="hint below">{t.inOwnZone}</span>
      </>
    );
  }
  return entry.next_at === null ? <Time at={entry.ended_at} /> : <PlannedTime at={entry.next_at} />;
}

function Row({
  entry,
  known,
  names,
  onCancel,
}: {
  entry: Scheduled;
  known: KnownSubscribers;
  names: TemplateNames;
  onCancel: () => void;
}) {
  const state = scheduledState(entry);
  const title = entry.name ?? contentTitle(entry.content, names);
  const hint = entry.name ?? contentHint(entry.content, names);
  const isOpen = entry.status === 'scheduled';
  return (
    <tr>
      <Cell label={t.message} lead>
        {isOpen && can('send') ? (
          <Link to={`/dashboard/scheduled/${entry.scheduled_id}`} class="clip" title={hint}>
            {title}
          </Link>
        ) : (
          <span class="clip" title={hint}>
            {title}
          </span>
        )}
      </Cell>
      <Cell label={t.recipient}>
        {entry.audience ? (
          <Clip wide>{audienceText(entry.audience)}</Clip>
        ) : entry.subscriber_id ? (
          <PersonLink id={entry.subscriber_id} known={known} />
        ) : (
          (entry.external_id ?? <None />)
        )}
      </Cell>
      <Cell label={t.sendsAt}>
        <SendTime entry={entry} />
      </Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
      </Cell>
      <ActionCell>
        {isOpen && (
          <Allowed scope="send">
            <button type="button" class="btn small" aria-label={t.cancelNamed(title)} onClick={onCancel}>
              {t.cancelShort}
            </button>
          </Allowed>
        )}
      </ActionCell>
    </tr>
  );
}
