import { InvalidArgumentError, type Command } from 'commander';
import type pg from 'pg';
import { slugRule } from '../../base/contract/common';
import { newProjectSchema, projectChangesSchema } from '../../domains/projects/contract';
import { newApiKey } from '../../base/lib/tokens';
import { insertApiKey } from '../../domains/projects/queries/keys';
import { withTransaction } from '../../base/db/pool';
import {
  addPurchasedCredits,
  findProjectBySlug,
  insertProject,
  listProjects,
  type ProjectChanges,
} from '../../domains/projects/queries/projects';
import { audited, byCli, insertAuditEntry } from '../../domains/projects';
import type { Brand, Project } from '../../domains/projects/contract';
import type { StoppedWork } from '../../domains/projects/stop-project';
import { findBrand } from '../../domains/projects/queries/brands';
import { parsed, yesOrNo } from './arguments';
import {
  databaseUrlOf,
  findInstallation,
  localPolicyOf,
  UsageError,
  withDatabase,
  type Installation,
} from './context';
import { facts, print, table } from './output';

export async function requireProject(pool: pg.Pool, slug: string): Promise<Project> {
  const project = await findProjectBySlug(pool, slug);
  if (!project) throw new UsageError(`Project "${slug}" not found.`);
  return project;
}

/** The project with this slug; without one the only project, or the demo project of the embedded service. */
export async function chooseProject(
  pool: pg.Pool,
  installation: Installation,
  slug: string | undefined,
): Promise<Project> {
  if (slug !== undefined) return requireProject(pool, slug);
  const projects = await listProjects(pool);
  const demo = demoSlugOf(installation);
  const chosen = projects.length === 1 ? projects[0] : projects.find((project) => project.slug === demo);
  if (chosen) return chosen;
  throw new UsageError(
    projects.length === 0
      ? 'There is no project yet: create one with "herald project create".'
      : 'There are several projects: choose one with --project.',
  );
}

/** Null where the commands use another database than the embedded service. */
function demoSlugOf(installation: Installation): string | null {
  const { runtime } = installation;
  if (runtime?.['database_url'] !== databaseUrlOf(installation)) return null;
  return (runtime['demo'] as { slug: string } | null | undefined)?.slug ?? null;
}

async function requireBranded(pool: pg.Pool, slug: string): Promise<Project & { brand: Brand }> {
  const project = await requireProject(pool, slug);
  return { ...project, brand: await findBrand(pool, project.id) };
}

function presentProject<P extends Project>({ id, system: _, ...settings }: P) {
  return { project_id: id, ...settings };
}

function describe(project: Project & { brand: Brand }): string {
  return facts([
    ['project_id', project.id],
    ['slug', project.slug],
    ['name', project.name],
    ['active', String(project.active)],
    ['plan', project.plan],
    ['callback_url', project.callback_url],
    ['redirect_urls', project.redirect_urls.join(', ') || null],
    ['timezone', project.timezone],
    ['logo_url', project.brand.logo_url],
    ['color', project.brand.color],
    ['privacy_url', project.brand.privacy_url],
    ['requests_per_minute', project.requests_per_minute],
    ['events_per_minute', project.events_per_minute],
    ['queued_deliveries', project.queued_deliveries],
    ['sessions_per_hour', project.sessions_per_hour],
    ['sessions_per_address', project.sessions_per_address],
    ['scheduled_entries', project.scheduled_entries],
    ['purchased_credits', project.purchased_credits],
  ]);
}

interface CreateOptions {
  slug: string;
  name: string;
  callbackUrl?: string;
  plan?: string;
  json?: boolean;
}

async function create(options: CreateOptions): Promise<void> {
  const project = parsed(newProjectSchema, {
    slug: options.slug,
    name: options.name,
    callback_url: options.callbackUrl,
    plan: options.plan,
  });
  const created = await withDatabase((pool) =>
    withTransaction(pool, async (db) => {
      const inserted = await insertProject(db, project);
      if (!inserted) throw new UsageError(`The slug "${project.slug}" is already taken.`);
      const { key, hash, hint } = newApiKey();
      await insertApiKey(db, { project_id: inserted.id, hash, hint });
      await insertAuditEntry(db, byCli(inserted.id, 'project.created', inserted.id));
      return { project_id: inserted.id, slug: inserted.slug, api_key: key };
    }),
  );
  print(
    created,
    options.json,
    () => `${facts(Object.entries(created))}\n\nThe API key is shown only once: it is stored as a hash.`,
  );
}

interface SetOptions {
  name?: string;
  callbackUrl?: string;
  redirectUrl?: string[];
  logoUrl?: string;
  color?: string;
  privacyUrl?: string;
  timezone?: string;
  scheduledEntries?: string;
  plan?: string;
  active?: boolean;
  requestsPerMinute?: string;
  eventsPerMinute?: string;
  queuedDeliveries?: string;
  sessionsPerHour?: string;
  sessionsPerAddress?: string;
  json?: boolean;
}

async function set(slug: string, options: SetOptions): Promise<void> {
  const given = parsed(projectChangesSchema, {
    name: options.name,
    callback_url: options.callbackUrl,
    redirect_urls: options.redirectUrl,
    timezone: options.timezone,
    scheduled_entries: options.scheduledEntries,
    plan: options.plan,
    active: options.active,
    requests_per_minute: options.requestsPerMinute,
    events_per_minute: options.eventsPerMinute,
    queued_deliveries: options.queuedDeliveries,
    sessions_per_hour: options.sessionsPerHour,
    sessions_per_address: options.sessionsPerAddress,
    brand: present({
      logo_url: orNone(options.logoUrl),
      color: orNone(options.color),
      privacy_url: orNone(options.privacyUrl),
    }),
  });
  const { brand = {}, ...changes } = present(given);
  if (Object.keys(changes).length + Object.keys(brand).length === 0) {
    throw new UsageError('Nothing to change: pass at least one option.');
  }
  const installation = await findInstallation();
  const changed = await withDatabase(async (pool) => {
    const project = await requireProject(pool, slug);
    // Loaded here, so that the other commands start fast.
    const { changeProject, prepareBrand } = await import('../../domains/projects/change-project.js');
    const { stopProject } = await import('../../domains/projects/stop-project.js');
    const prepared = await prepareBrand(brand, localPolicyOf(installation));
    await audited(pool, byCli(project.id, 'project.updated', project.id), () =>
      changeProject(pool, project.id, changes as ProjectChanges, prepared),
    );
    const stopped = changes.active === false ? await stopProject(pool, project.id) : null;
    return { project: await requireBranded(pool, slug), stopped };
  }, installation);
  const { project, stopped } = changed;
  print({ ...presentProject(project), ...(stopped && { stopped }) }, options.json, () =>
    [describe(project), ...(stopped ? [describeStopped(stopped)] : [])].join('\n\n'),
  );
}

function describeStopped({ sessions, ...waiting }: StoppedWork): string {
  return [
    'Nothing is sent any more. Waiting until the project is active again:',
    facts([
      ['broadcasts', waiting.broadcasts],
      ['batches', waiting.batches],
      ['scheduled messages', waiting.scheduled],
      ['recurring messages', waiting.recurring],
      ['enrolments in drip chains', waiting.enrolments],
      ['submissions with open routes', waiting.submissions],
      ['notices to members', waiting.notices],
    ]),
    `Open logins and approvals that ended as expired: ${sessions}`,
  ].join('\n');
}

/** The object without its undefined fields. */
function present<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The word `none` clears a setting. */
function orNone(value: string | undefined): string | null | undefined {
  return value === 'none' ? null : value;
}

async function addCredits(slug: string, options: { add: number; json?: boolean }): Promise<void> {
  const project = await withDatabase(async (pool) => {
    const { id } = await requireProject(pool, slug);
    await audited(pool, byCli(id, 'project.credits_added', id), () =>
      withTransaction(pool, (db) => addPurchasedCredits(db, id, options.add)),
    );
    return requireProject(pool, slug);
  });
  const { purchased_credits } = project;
  print(
    { slug, purchased_credits },
    options.json,
    () => `${slug} has ${purchased_credits} purchased credits.`,
  );
}

function credits(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && number <= 1_000_000_000) return number;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

export function addProjectCommands(program: Command): void {
  const project = program.command('project').description('projects and their settings');
  project
    .command('create')
    .description('create a project with a first API key')
    .requiredOption('--slug <slug>', slugRule)
    .requiredOption('--name <name>', 'shown to users in the bot')
    .option('--callback-url <url>', 'where users return to after a login')
    .option('--plan <plan>', 'free or basic')
    .option('--json', 'print JSON')
    .action(create);
  project
    .command('list')
    .description('list all projects')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const found = await withDatabase(listProjects);
      const rows = found.map((entry) => [entry.slug, entry.name, entry.plan, entry.active, entry.id]);
      print(found.map(presentProject), json, () =>
        table(['slug', 'name', 'plan', 'active', 'project_id'], rows),
      );
    });
  project
    .command('show <slug>')
    .description('show a project')
    .option('--json', 'print JSON')
    .action(async (slug: string, { json }: { json?: boolean }) => {
      const found = await withDatabase((pool) => requireBranded(pool, slug));
      print(presentProject(found), json, () => describe(found));
    });
  project
    .command('set <slug>')
    .description('change the settings of a project')
    .option('--name <name>')
    .option('--callback-url <url>')
    .option('--redirect-url <url...>', 'redirect URLs of sessions; replaces the list')
    .option('--timezone <name>', 'IANA name, such as Europe/Berlin')
    .option('--scheduled-entries <number>', 'open scheduled and recurring messages and chains together')
    .option('--logo-url <url>', 'PNG, JPEG or WebP for the hosted login page, fetched now; "none" removes it')
    .option('--color <#rrggbb>', 'button colour of the hosted login page, or "none"')
    .option('--privacy-url <url>', 'privacy policy, linked on the hosted login page, or "none"')
    .option('--plan <plan>', 'free or basic')
    .option(
      '--active <true|false>',
      'an inactive project sends nothing; what waits resumes after activation',
      yesOrNo,
    )
    .option('--requests-per-minute <n>')
    .option('--events-per-minute <n>', 'published and tracked events')
    .option('--queued-deliveries <n>', 'deliveries that may wait for their first attempt')
    .option('--sessions-per-hour <n>')
    .option('--sessions-per-address <n>')
    .option('--json', 'print JSON')
    .action(set);
  project
    .command('credits <slug>')
    .description('add purchased login credits')
    .requiredOption('--add <n>', 'number of credits', credits)
    .option('--json', 'print JSON')
    .action(addCredits);
}
