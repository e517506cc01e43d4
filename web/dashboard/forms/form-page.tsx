import './styles';
import { useState } from 'preact/hooks';
import { can } from '../access';
import { ActionButton, ConfirmDialog, Crumbs, Icon, Loaded, Problem, toast } from '../elements';
import { useResource } from '../resource';
import { go, Heading, Link } from '../router';
import { t } from '../texts';
import { formsApi, type FormDefinition, type FormView } from './api';
import { FormBadge } from './list';
import { Share } from './share';
import { Submissions } from './submissions';
import { words } from './texts';

/** One form: what has come in, or how to share it. */
export function FormPage({ id, isShared }: { id: string; isShared: boolean }) {
  const found = useResource(() => formsApi.form(id), id);
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/forms', text: words().forms }]} />
      {found.error && !found.data && <Heading title={words().forms} />}
      <Loaded resource={found}>
        {(form) => <Shown form={form} isShared={isShared} reload={found.reload} />}
      </Loaded>
    </>
  );
}

function Shown(props: { form: FormView; isShared: boolean; reload: () => Promise<void> }) {
  const { form, isShared } = props;
  const w = words();
  const path = `/dashboard/forms/${form.form_id}`;
  const [error, setError] = useState<Error | null>(null);
  const [removing, setRemoving] = useState(false);
  const isActive = form.status === 'active';
  const toggle = async () => {
    await formsApi.replace(form.form_id, {
      ...storedDefinition(form),
      status: isActive ? 'disabled' : 'active',
    });
    toast(isActive ? w.closed : w.opened);
    await props.reload();
  };
  return (
    <>
      <div class="heading">
        <Heading title={form.name} />
        <FormBadge status={form.status} />
        <span class="actions">
          {isActive && (
            <a class="btn" href={form.hosted_url} target="_blank" rel="noopener">
              <Icon name="arrowTopRight" small /> {w.openPage}
            </a>
          )}
          {can('manage') && (
            <>
              <Link to={`${path}/edit`} class="btn">
                {t.edit}
              </Link>
              <ActionButton act={toggle} onError={setError}>
                {isActive ? w.closeForm : w.openForm}
              </ActionButton>
              <button type="button" class="btn" onClick={() => setRemoving(true)}>
                {t.delete}
              </button>
            </>
          )}
        </span>
      </div>
      <Problem error={error} />
      {!isActive && <p class="note">{w.closedNote}</p>}
      <nav class="page-tabs" aria-label={form.name}>
        <Link to={path} current={!isShared}>
          {w.submissions}
        </Link>
        <Link to={`${path}/share`} current={isShared}>
          {w.share}
        </Link>
      </nav>
      {isShared ? <Share form={form} /> : <Submissions form={form} />}
      {removing && (
        <ConfirmDialog
          title={w.deleteTitle(form.name)}
          text={w.deleteText}
          confirm={t.delete}
          act={async () => {
            await formsApi.remove(form.form_id);
            toast(w.deleted);
            go('/dashboard/forms');
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

/** As it is stored, to be put again with another status. */
function storedDefinition(form: FormView): FormDefinition {
  const { name, title_en, title_ru, fields, routes } = form;
  const { allowed_origins, min_seconds, captcha, redirect_url } = form;
  return {
    ...{ name, title_en, title_ru, fields, allowed_origins, min_seconds, captcha, redirect_url },
    routes: routes as NonNullable<FormDefinition['routes']>,
  };
}
