import type pg from 'pg';
import { linkFields } from '../bots';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { startParameter } from '../../base/contract/start-parameters';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { changedSettings, describeChange } from '../projects';
import type { Project } from '../projects/contract';
import { requireMember } from './change';
import type { HelpdeskSettings, NewTicketType, TicketTypeChanges, TicketTypeView } from './contract';
import { forgetHelpdesk } from './publishing';
import {
  countTypes,
  deleteType,
  findType,
  insertType,
  lockSettings,
  updateSettings,
  updateType,
  type TicketTypeRow,
} from './queries/settings';
import { beginSweep } from './sweeps';

const settingNames = [
  'enabled',
  'first_reply_hours',
  'resolve_hours',
  'csat',
  'reopen_days',
  'auto_close_days',
] as const;

type Given<T> = { [K in keyof T]?: T[K] | undefined };

/** What is not given stays. */
function merged<T extends object>(before: T, changes: Given<T>): T {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}

export function changeSettings(
  pool: pg.Pool,
  project: Pick<Project, 'id' | 'name'>,
  changes: Given<HelpdeskSettings>,
): Promise<HelpdeskSettings> {
  return withTransaction(pool, async (db) => {
    const before = await lockSettings(db, project.id);
    const after = merged(before, changes);
    describeChange(project.name, changedSettings(before, after, settingNames));
    await updateSettings(db, project.id, after);
    forgetHelpdesk(db, project.id);
    const { auto_close_days } = after;
    if (auto_close_days !== null && auto_close_days !== before.auto_close_days) {
      await beginSweep(db, { kind: 'waiting', id: project.id, project_id: project.id });
    }
    return after;
  });
}

/** The link that opens the bot at the support of a project. */
export function supportLinks(
  { messengers }: Pick<Core, 'messengers'>,
  { id, slug }: Pick<Project, 'id' | 'slug'>,
) {
  return linkFields(
    'link',
    (channel) => messengers.ofProject(id, channel)?.link(startParameter('help', slug)) ?? null,
  );
}

export function presentType({ id, ...type }: TicketTypeRow): TicketTypeView {
  return { type_id: id, ...type };
}

/** Under the lock of the settings, so that the limit is exact. */
export function createType(
  pool: pg.Pool,
  projectId: string,
  request: NewTicketType,
  work: Work,
): Promise<TicketTypeRow> {
  return withTransaction(pool, async (db) => {
    await lockSettings(db, projectId);
    const earlier = work.resumed ? await findType(db, projectId, work.id) : null;
    if (earlier) return earlier;
    await requireMember(db, projectId, request.assignee_id);
    if ((await countTypes(db, projectId)) >= limits.ticketTypes) {
      throw new AppError('conflict', `A project can have up to ${limits.ticketTypes} types of tickets.`);
    }
    const type = { id: work.id, ...request };
    describeChange(type.name_en);
    await insertType(db, projectId, type);
    return type;
  });
}

export function patchType(
  pool: pg.Pool,
  projectId: string,
  id: string,
  changes: TicketTypeChanges,
): Promise<TicketTypeRow> {
  return withTransaction(pool, async (db) => {
    await lockSettings(db, projectId);
    const before = orNotFound(await findType(db, projectId, id));
    const after = merged(before, changes);
    await requireMember(db, projectId, after.assignee_id);
    describeChange(after.name_en);
    await updateType(db, projectId, after);
    return after;
  });
}

export function removeType(pool: pg.Pool, projectId: string, id: string): Promise<void> {
  return withTransaction(pool, async (db) => {
    const before = orNotFound(await findType(db, projectId, id));
    describeChange(before.name_en);
    await deleteType(db, projectId, id);
    await beginSweep(db, { kind: 'type', id, project_id: projectId });
  });
}
