import { isUuid } from '../../../src/base/contract/ids';
import { limits } from '../../../src/base/contract/limits';
import { actorTypes } from '../../../src/base/contract/people';
import { api, type AuditEntry } from '../api';
import {
  Cell,
  ClearFilters,
  Clip,
  Empty,
  NoMatch,
  None,
  Pager,
  Problem,
  Select,
  Table,
  Time,
} from '../elements';
import { capitalised } from '../format';
import { pageTexts } from '../page-texts';
import { useResource } from '../resource';
import { Heading, Link, useFilters, usePages } from '../router';
import { t } from '../texts';
import { auditTexts } from './audit-texts';

export function Audit() {
  const pages = usePages();
  const filters = useFilters(['actor', 'action']);
  const { actor, action } = filters.values;
  const entries = useResource(
    () => api.audit({ actor, action, cursor: pages.cursor }),
    `audit ${actor} ${action} ${pages.cursor}`,
  );
  const members = useResource(api.members, 'members');
  const keys = useResource(api.keys, 'keys');
  const names = new Map<string, string>();
  for (const { member_id: id, first_name: name } of members.data?.data ?? []) names.set(id, name);
  for (const { id, name, hint } of keys.data?.data ?? []) {
    names.set(id, `${t.actorTypes.key} ${name ?? `${hint}…`}`);
  }
  const found = entries.data?.data;
  return (
    <>
      <Heading title={t.audit} />
      <p class="lead">{t.auditLead(limits.auditDays)}</p>
      <div class="filters">
        <Select
          label={t.actor}
          value={actor}
          options={[
            { value: '', text: t.any },
            ...actorTypes.map((type) => ({ value: type, text: t.actorTypes[type] })),
            ...[...names].map(([value, text]) => ({ value, text })),
          ]}
          onChange={(value) => filters.set('actor', value)}
        />
        <Select
          label={t.action}
          value={action}
          options={[{ value: '', text: t.any }, ...actions()]}
          onChange={(value) => filters.set('action', value)}
        />
        <ClearFilters filters={filters} />
      </div>
      <Problem error={entries.error} />
      {found?.length === 0 && filters.isFiltered && (
        <NoMatch icon="list" title={t.noAuditMatch} filters={filters} />
      )}
      {found?.length === 0 && !filters.isFiltered && (
        <Empty icon="list" title={t.noAudit} text={pageTexts().noAuditText}>
          <p class="buttons">
            <Link class="btn" to="/dashboard/settings">
              {t.settings}
            </Link>
          </p>
        </Empty>
      )}
      {found && found.length > 0 && (
        <Table
          label={t.audit}
          columns={[t.time, t.actor, t.action, t.target, { title: t.ipAddress, givesWay: 'soon' }]}
        >
          {found.map((entry) => (
            <Row key={entry.audit_id} entry={entry} name={names.get(entry.actor.id ?? '')} />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={entries.data?.next_cursor ?? null} />
    </>
  );
}

function actionName(action: string): string | undefined {
  return (auditTexts().actions as Record<string, string | undefined>)[action];
}

/** All actions by their names, in the order of the alphabet. */
function actions(): { value: string; text: string }[] {
  return Object.entries(auditTexts().actions)
    .map(([value, text]) => ({ value, text }))
    .sort((one, other) => one.text.localeCompare(other.text));
}

/** The end of an id, whose beginning is only its time; a name or a key whole. */
function shortTarget(target: string): string {
  return isUuid(target) ? `…${target.slice(-8)}` : target;
}

function Target({ entry: { target_id: id, target_name: name } }: { entry: AuditEntry }) {
  if (name !== null) return <Clip>{name}</Clip>;
  return id === null ? <None /> : <code title={id}>{shortTarget(id)}</code>;
}

function fieldName(field: string): string {
  return (auditTexts().fields as Record<string, string | undefined>)[field] ?? field;
}

function settingText(field: string, value: AuditEntry['changes'][number]['before']): string {
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (field === 'plan' && typeof value === 'string') return capitalised(value);
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? '–' : text;
}

function Row({ entry, name }: { entry: AuditEntry; name: string | undefined }) {
  return (
    <tr>
      <Cell label={t.time}>
        <Time at={entry.at} />
      </Cell>
      <Cell label={t.actor}>
        {name ?? t.actorTypes[entry.actor.type]}
        {name === undefined && entry.actor.id && <code class="late"> {entry.actor.id.slice(0, 8)}</code>}
      </Cell>
      <Cell label={t.action} lead>
        <span title={entry.action}>{actionName(entry.action) ?? <code>{entry.action}</code>}</span>
      </Cell>
      <Cell label={t.target} class="rest">
        <Target entry={entry} />
        {entry.changes.length > 0 && (
          <ul class="changes">
            {entry.changes.map(({ field, before, after }) => (
              <li key={field}>
                {fieldName(field)}: {settingText(field, before)} → {settingText(field, after)}
              </li>
            ))}
          </ul>
        )}
      </Cell>
      <Cell label={t.ipAddress} givesWay="soon">
        {entry.ip ?? <None />}
      </Cell>
    </tr>
  );
}
