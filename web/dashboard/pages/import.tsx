import { useState } from 'preact/hooks';
import { limits, MIB } from '../../../src/base/contract/limits';
import { api, type Import } from '../api';
import {
  ActionButton,
  Cell,
  CodeBlock,
  Crumbs,
  Field,
  FieldError,
  FileInput,
  FormButtons,
  Problem,
  Table,
  useForm,
} from '../elements';
import { number } from '../format';
import { useResource } from '../resource';
import { Heading, useFilters } from '../router';
import { t } from '../texts';

const REFRESH_MS = 1_000;
const EXAMPLE = `external_id,add_tags,timezone,properties.city
customer-1,vip|green tea,Europe/Berlin,Berlin
customer-2,vip,,Riga`;

/**
 * Changes many subscribers by a CSV file. The import is in the address: it goes on without this page, and a reload shows
 * how far it is.
 */
export function ImportPage() {
  const { values, set } = useFilters(['id']);
  const [file, setFile] = useState<File | null>(null);
  const [dryRun, setDryRun] = useState(true);
  const send = async (isTrial: boolean) => {
    if (!file) throw new FieldError('body', t.importChooseFile);
    if (file.size > limits.importBytes) {
      throw new FieldError('body', t.importTooLarge(limits.importBytes / MIB));
    }
    set('id', (await api.importSubscribers(file, isTrial)).import_id);
  };
  const form = useForm(['body'], () => send(dryRun));
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/subscribers', text: t.subscribers }]} />
      <Heading title={t.importTitle} />
      <p class="lead">{t.importLead}</p>
      <form class="panel" {...form.attributes}>
        <Field
          label={t.importFile}
          hint={t.importFileHint(limits.importBytes / MIB)}
          error={form.problemOf('body')}
        >
          {(attributes) => <FileInput attributes={attributes} accept=".csv,text/csv" onChoose={setFile} />}
        </Field>
        <label class="choice">
          <input
            type="checkbox"
            checked={dryRun}
            onChange={(event) => setDryRun(event.currentTarget.checked)}
          />{' '}
          {t.importDryRun}
        </label>
        <details class="advanced">
          <summary>{t.importColumns}</summary>
          <p>{t.importColumnsText}</p>
          <CodeBlock code={EXAMPLE} />
        </details>
        <FormButtons
          form={form}
          submit={dryRun ? t.importCheck : t.importStart}
          blocked={file === null ? t.importChooseFile : null}
        />
      </form>
      {values.id !== '' && <Progress key={values.id} id={values.id} importIt={file && (() => send(false))} />}
    </>
  );
}

/** After a check that went well, the same file can be imported; it is gone after a reload. */
type ImportIt = (() => Promise<void>) | null;

function Progress({ id, importIt }: { id: string; importIt: ImportIt }) {
  const [error, setError] = useState<Error | null>(null);
  const [isOver, setOver] = useState(false);
  const found = useResource(
    async () => {
      const read = await api.import(id);
      if (read.ended_at !== null) setOver(true);
      return read;
    },
    id,
    isOver ? undefined : REFRESH_MS,
  );
  const entry = found.data;
  return (
    <section class="panel" aria-labelledby="import-title">
      <h2 id="import-title">{entry?.dry_run === false ? t.importProgress : t.importCheckProgress}</h2>
      <Problem error={error ?? found.error} />
      {entry && <Result entry={entry} />}
      {entry?.status === 'cancelled' && <p class="notice">{t.importCancelled}</p>}
      {entry?.ended_at === null && (
        <p class="buttons">
          <ActionButton
            act={async () => {
              await api.cancelImport(id);
              await found.reload();
            }}
            onError={setError}
          >
            {t.importCancel}
          </ActionButton>
        </p>
      )}
      {entry?.status === 'completed' && entry.dry_run && importIt && entry.updated > 0 && (
        <p class="buttons">
          <ActionButton kind="primary" act={importIt} onError={setError}>
            {t.importRows(entry.updated)}
          </ActionButton>
        </p>
      )}
    </section>
  );
}

function Result({ entry }: { entry: Import }) {
  const done = entry.updated + entry.failed;
  return (
    <>
      <label class="meter">
        <span>{t.broadcastDone(number(done), number(entry.rows))}</span>
        <progress max={Math.max(1, entry.rows)} value={entry.rows === 0 ? 1 : done} />
      </label>
      <p role="status">
        {entry.dry_run
          ? t.importWouldChange(number(entry.updated), number(entry.failed))
          : t.importChanged(number(entry.updated), number(entry.failed))}
      </p>
      {entry.errors.length > 0 && (
        <Table label={t.importErrors} columns={[t.importRow, t.reason]}>
          {entry.errors.map(({ row, code }) => (
            <tr key={row}>
              <Cell label={t.importRow} class="figure">
                {number(row)}
              </Cell>
              <Cell label={t.reason}>
                {(t.importProblems as Record<string, string | undefined>)[code] ?? code}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      {entry.failed > entry.errors.length && (
        <p class="hint">{t.importMoreErrors(entry.failed - entry.errors.length)}</p>
      )}
    </>
  );
}
