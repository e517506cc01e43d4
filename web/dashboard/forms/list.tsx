import './styles';
import { limits } from '../../../src/base/contract/limits';
import { Ago, Badge, Cell, CreateButton, Empty, None, Problem, Table } from '../elements';
import { number } from '../format';
import { useResource } from '../resource';
import { Heading, Link } from '../router';
import { t } from '../texts';
import { formsApi, type FormStats, type FormView } from './api';
import { words } from './texts';

const REFRESH_MS = 10_000;

/** A project has at most ten forms: one page shows all of them. */
export function Forms() {
  const w = words();
  const found = useResource(formsApi.list, 'forms', REFRESH_MS);
  const stats = useResource(formsApi.stats, 'stats', REFRESH_MS);
  const list = found.data?.data;
  const isEmpty = list?.length === 0;
  const create = (
    <CreateButton
      scope="manage"
      to="/dashboard/forms/new"
      text={w.newForm}
      full={list && list.length >= limits.forms ? w.formsFull(limits.forms) : null}
    />
  );
  return (
    <>
      <div class="heading">
        <Heading title={w.forms} />
        {!isEmpty && create}
      </div>
      <p class="lead">{w.lead}</p>
      <Problem error={found.error ?? stats.error} />
      {isEmpty && (
        <Empty icon="clipboardList" title={w.noForms} text={w.noFormsText}>
          {create}
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table label={w.forms} columns={[w.name, t.status, w.submissions, w.lastSubmission, w.fieldsColumn]}>
          {list.map((form) => (
            <Row
              key={form.form_id}
              form={form}
              stats={stats.data?.data.find(({ form_id }) => form_id === form.form_id)}
            />
          ))}
        </Table>
      )}
    </>
  );
}

function Row({ form, stats }: { form: FormView; stats: FormStats['data'][number] | undefined }) {
  const w = words();
  return (
    <tr>
      <Cell label={w.name} lead>
        <Link to={`/dashboard/forms/${form.form_id}`} class="clip wide" title={form.name}>
          {form.name}
        </Link>
      </Cell>
      <Cell label={t.status}>
        <FormBadge status={form.status} />
      </Cell>
      <Cell label={w.submissions}>
        {stats ? <span class="figure">{countText(stats.new)}</span> : <None />}{' '}
        {stats && stats.spam > 0 && <span class="hint">· {w.inSpam(countText(stats.spam))}</span>}
      </Cell>
      <Cell label={w.lastSubmission}>
        <Ago at={stats?.last_at ?? null} />
      </Cell>
      <Cell label={w.fieldsColumn}>{number(form.fields.length)}</Cell>
    </tr>
  );
}

export function FormBadge({ status }: Pick<FormView, 'status'>) {
  return <Badge tone={status === 'active' ? 'good' : 'warn'}>{words().states[status]}</Badge>;
}

/** The service stops counting at a limit. */
export const countText = (count: number) =>
  count >= limits.formSubmissionsCounted ? words().atLeast(number(count)) : number(count);
