import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type pg from 'pg';
import { csvRows, jsonRows, openLines, type ExportSource } from '../../domains/exports';
import { oneOf } from './arguments';
import { findInstallation, withDatabase, type Installation } from './context';
import { requireProject } from './projects';

const kinds = ['subscribers', 'deliveries', 'logins', 'tickets', 'submissions'] as const;
type Kind = (typeof kinds)[number];

/** Each source is loaded when it is needed, so that the other commands start fast. */
async function sourceOf(kind: Kind, pool: pg.Pool, { settings }: Installation): Promise<ExportSource> {
  const format = settings.HERALD_SUBSCRIBER_ID_FORMAT;
  switch (kind) {
    case 'subscribers':
      return (await import('../../domains/subscribers/export.js')).subscriberExport(format) as ExportSource;
    case 'deliveries':
      return (await import('../../domains/webhooks/export.js')).deliveryExport(pool) as ExportSource;
    case 'logins':
      return (await import('../../domains/login/export.js')).loginExport(format) as ExportSource;
    case 'tickets':
      return (await import('../../domains/helpdesk/export.js')).ticketExport(format) as ExportSource;
    case 'submissions':
      return (await import('../../domains/forms/export.js')).submissionExport(format) as ExportSource;
  }
}

/** Whatever the project's plan, and beside an export of its own. */
async function exportList(kind: Kind, slug: string, { json }: { json?: boolean }): Promise<void> {
  const installation = await findInstallation();
  await withDatabase(async (pool) => {
    const project = await requireProject(pool, slug);
    const source = await sourceOf(kind, pool, installation);
    const readPage = await source.open(pool, project.id, {});
    const signal = new AbortController().signal;
    const format = json ? jsonRows(source.row) : csvRows(source.row);
    const lines = await openLines(pool, { projectId: project.id, format, readPage, signal });
    await pipeline(Readable.from(lines), process.stdout, { end: false }).catch(ignoreClosedPipe);
  }, installation);
}

/** The reader, such as `head`, has seen enough. */
function ignoreClosedPipe(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'EPIPE') throw error;
}

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('print a list of a project as CSV')
    .argument('<kind>', kinds.join(', '), oneOf(kinds))
    .argument('<slug>', 'of the project')
    .option('--json', 'print an object in each line in place of CSV')
    .action(exportList);
}
