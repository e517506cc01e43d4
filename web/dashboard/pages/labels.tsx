import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { can } from '../access';
import { api, type LabelKind, type PermissionView, type TagView } from '../api';
import {
  ActionCell,
  Allowed,
  Badge,
  Cell,
  Clip,
  ConfirmDialog,
  Dialog,
  Empty,
  FormButtons,
  None,
  Problem,
  Table,
  TextField,
  toast,
  useForm,
} from '../elements';
import { number, typedOrNull } from '../format';
import { pageTexts } from '../page-texts';
import { useResource } from '../resource';
import { Heading } from '../router';
import { t } from '../texts';

type Label = TagView & Partial<PermissionView>;

/** Tags and permissions of the project, each with the number of its subscribers. */
export function Labels() {
  return (
    <>
      <Heading title={t.labels} />
      <LabelList
        kind="tags"
        title={t.tags}
        lead={pageTexts().tagsLead}
        empty={t.noTags}
        next={pageTexts().noTagsText}
      />
      <LabelList
        kind="permissions"
        title={t.permissions}
        lead={pageTexts().permissionsLead}
        empty={t.noPermissions}
        next={pageTexts().noPermissionsText}
      />
    </>
  );
}

function LabelList(props: { kind: LabelKind; title: string; lead: string; empty: string; next: string }) {
  const { kind } = props;
  const labels = useResource(() => api.labels(kind), kind);
  const [name, setName] = useState('');
  const [editing, setEditing] = useState<Label | null>(null);
  const [deleting, setDeleting] = useState<Label | null>(null);
  const form = useForm(['name'], async () => {
    await api.createLabel(kind, name.trim());
    setName('');
    await labels.reload();
  });
  const list = labels.data?.data;
  const isPermission = kind === 'permissions';
  const most = isPermission ? limits.permissionsPerProject : limits.tagsPerProject;
  const isFull = list !== undefined && list.length >= most;
  return (
    <section aria-labelledby={`${kind}-title`}>
      <h2 id={`${kind}-title`}>{props.title}</h2>
      <p class="hint">{props.lead}</p>
      <Allowed scope="manage">
        {isFull ? (
          <p class="hint">{pageTexts().labelsFull[kind](most)}</p>
        ) : (
          <form class="panel inline-form" {...form.attributes}>
            <TextField
              label={t.name}
              error={form.problemOf('name')}
              required
              maxLength={limits.tagLength}
              value={name}
              onInput={setName}
            />
            <button type="submit" class="btn primary" disabled={form.busy}>
              {isPermission ? t.createPermission : t.createTag}
            </button>
          </form>
        )}
      </Allowed>
      <Problem error={form.error ?? labels.error} />
      {list?.length === 0 && (
        <Empty
          icon="tag"
          title={props.empty}
          text={can('manage') ? props.next : pageTexts().noLabelsReadOnly}
        />
      )}
      {list && list.length > 0 && (
        <Table
          label={props.title}
          columns={[t.name, ...(isPermission ? [t.permissionTitle] : []), t.subscribers, `!${t.edit}`]}
        >
          {list.map((label) => (
            <tr key={label.name}>
              <Cell label={t.name} lead>
                <Clip>{label.name}</Clip> {label.default && <Badge tone="good">{t.permissionDefault}</Badge>}
              </Cell>
              {isPermission && (
                <Cell label={t.permissionTitle}>
                  {label.title_en || label.title_ru ? (
                    <Clip wide>{[label.title_en, label.title_ru].filter(Boolean).join(' · ')}</Clip>
                  ) : (
                    <None />
                  )}
                </Cell>
              )}
              <Cell label={t.subscribers}>
                <span class="figure">{number(label.subscribers)}</span>
              </Cell>
              <ActionCell>
                <Allowed scope="manage">
                  <button
                    type="button"
                    class="btn small"
                    aria-label={t.editLabel(label.name)}
                    onClick={() => setEditing(label)}
                  >
                    {t.edit}
                  </button>
                  <button
                    type="button"
                    class="btn small"
                    aria-label={t.deleteLabel(label.name)}
                    onClick={() => setDeleting(label)}
                  >
                    {t.delete}
                  </button>
                </Allowed>
              </ActionCell>
            </tr>
          ))}
        </Table>
      )}
      {editing && (
        <EditLabel
          kind={kind}
          label={editing}
          onClose={() => setEditing(null)}
          onSaved={() => void labels.reload()}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={t.deleteLabelTitle(deleting.name)}
          text={t.deleteLabelText(deleting.subscribers)}
          confirm={t.delete}
          act={async () => {
            await api.deleteLabel(kind, deleting.name);
            toast(t.labelDeleted);
            await labels.reload();
          }}
          onClose={() => setDeleting(null)}
        />
      )}
    </section>
  );
}

function EditLabel(props: { kind: LabelKind; label: Label; onClose: () => void; onSaved: () => void }) {
  const { kind, label } = props;
  const [values, setValues] = useState({
    name: label.name,
    title_en: label.title_en ?? '',
    title_ru: label.title_ru ?? '',
    default: label.default ?? false,
  });
  const form = useForm(['name', 'title_en', 'title_ru'], async () => {
    const titles = {
      title_en: typedOrNull(values.title_en),
      title_ru: typedOrNull(values.title_ru),
      default: values.default,
    };
    await api.changeLabel(kind, label.name, { name: values.name.trim(), ...(kind === 'tags' ? {} : titles) });
    props.onSaved();
    props.onClose();
  });
  const field = (name: 'name' | 'title_en' | 'title_ru', text: string, hint?: string) => (
    <TextField
      label={text}
      hint={hint}
      error={form.problemOf(name)}
      required={name === 'name'}
      maxLength={name === 'name' ? limits.tagLength : limits.permissionTitleLength}
      value={values[name]}
      onInput={(value) => setValues({ ...values, [name]: value })}
    />
  );
  return (
    <Dialog title={t.editLabel(label.name)} onClose={props.onClose} unsaved={form.dirty}>
      <form {...form.attributes}>
        {field('name', t.name, pageTexts().renameHint)}
        {kind === 'permissions' && (
          <>
            {field('title_en', t.permissionTitleEn, t.permissionTitleHint)}
            {field('title_ru', t.permissionTitleRu)}
            <label class="choice">
              <input
                type="checkbox"
                checked={values.default}
                onChange={(event) => setValues({ ...values, default: event.currentTarget.checked })}
              />{' '}
              {t.permissionDefaultHint}
            </label>
          </>
        )}
        <FormButtons form={form} submit={t.save} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
