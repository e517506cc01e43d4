import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { can } from '../access';
import { api, type LabelKind, type LinkView } from '../api';
import {
  ActionCell,
  Allowed,
  Cell,
  Chip,
  Clip,
  ConfirmDialog,
  CopyButton,
  CreateButton,
  Dialog,
  Empty,
  FormButtons,
  TagsAndPermissions,
  None,
  Pager,
  Problem,
  Table,
  TextField,
  Time,
  toast,
  useForm,
} from '../elements';
import { number } from '../format';
import { messengerLinks } from '../messengers';
import { useResource } from '../resource';
import { Heading, usePages } from '../router';
import { t } from '../texts';

export function Links() {
  const pages = usePages();
  const links = useResource(() => api.links(pages.cursor), pages.cursor ?? '');
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<LinkView | null>(null);
  const list = links.data?.data;
  const isEmpty = list?.length === 0;
  const create = <CreateButton scope="manage" act={() => setCreating(true)} text={t.newLink} />;
  return (
    <>
      <div class="heading">
        <Heading title={t.links} />
        {!isEmpty && create}
      </div>
      <p class="lead">{t.linksLead}</p>
      <Problem error={links.error} />
      {isEmpty && (
        <Empty icon="link" title={t.noLinks} text={t.noLinksText}>
          {create}
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table
          label={t.links}
          columns={[
            t.name,
            t.labels,
            t.linkUses,
            t.linkExpires,
            ...(can('manage') ? [t.copyLink] : []),
            `!${t.delete}`,
          ]}
        >
          {list.map((link) => (
            <Row key={link.link_id} link={link} onDelete={() => setDeleting(link)} />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={links.data?.next_cursor ?? null} />
      {creating && <NewLink onClose={() => setCreating(false)} onCreated={links.reload} />}
      {deleting && (
        <ConfirmDialog
          title={t.deleteLinkTitle(deleting.name)}
          text={t.deleteLinkText}
          confirm={t.delete}
          act={async () => {
            await api.deleteLink(deleting.link_id);
            toast(t.linkDeleted);
            await links.reload();
          }}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}

const typedFields = ['name', 'external_id', 'expires_at', 'max_uses'] as const;
const empty = { name: '', external_id: '', expires_at: '', max_uses: '' };

function NewLink({ onClose, onCreated }: { onClose: () => void; onCreated: () => Promise<void> }) {
  const [values, setValues] = useState(empty);
  const [labels, setLabels] = useState<Record<LabelKind, string[]>>({ tags: [], permissions: [] });
  const form = useForm([...typedFields, 'tags', 'permissions'], async () => {
    await api.createLink({
      ...(values.name.trim() ? { name: values.name.trim() } : {}),
      ...(labels.tags.length > 0 ? { tags: labels.tags } : {}),
      ...(labels.permissions.length > 0 ? { permissions: labels.permissions } : {}),
      ...(values.external_id ? { external_id: values.external_id } : {}),
      ...(values.expires_at ? { expires_at: new Date(values.expires_at).toISOString() } : {}),
      ...(values.max_uses ? { max_uses: Number(values.max_uses) } : {}),
    });
    toast(t.linkCreated);
    onClose();
    await onCreated();
  });
  const field = (name: (typeof typedFields)[number], label: string, hint?: string, type = 'text') => (
    <TextField
      label={label}
      hint={hint}
      error={form.problemOf(name)}
      type={type}
      {...(type === 'number' ? { min: 1, max: limits.subscribeLinkUses } : {})}
      value={values[name]}
      onInput={(value) => setValues({ ...values, [name]: value })}
    />
  );
  return (
    <Dialog title={t.newLink} unsaved={form.dirty} onClose={onClose}>
      <form {...form.attributes}>
        {field('name', t.linkName)}
        <TagsAndPermissions form={form} value={labels} onChange={setLabels} />
        {field('external_id', t.externalId, t.linkExternalIdHint)}
        <div class="two">
          {field('expires_at', t.linkExpires, undefined, 'datetime-local')}
          {field('max_uses', t.linkMaxUses, undefined, 'number')}
        </div>
        <FormButtons form={form} submit={t.createLink} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function Row({ link, onDelete }: { link: LinkView; onDelete: () => void }) {
  return (
    <tr>
      <Cell label={t.name} lead>
        {link.name === null ? <span class="hint">{t.unnamed}</span> : <Clip wide>{link.name}</Clip>}{' '}
        {link.external_id !== null && (
          <span class="hint clip" title={t.linkFor(link.external_id)}>
            {t.linkFor(link.external_id)}
          </span>
        )}
      </Cell>
      <Cell label={t.labels}>
        <Labels names={[...link.tags, ...link.permissions]} />
      </Cell>
      <Cell label={t.linkUses}>
        <span class="figure">
          {number(link.uses)}
          {link.max_uses !== null && ` / ${number(link.max_uses)}`}
        </span>
      </Cell>
      <Cell label={t.linkExpires}>
        <Time at={link.expires_at} />
      </Cell>
      {can('manage') && (
        <Cell label={t.copyLink}>
          <span class="row-actions">
            {messengerLinks(link).map(({ channel, name, link: address }) => (
              <CopyButton key={channel} text={address} label={name} />
            ))}
          </span>
        </Cell>
      )}
      <ActionCell>
        <Allowed scope="manage">
          <button
            type="button"
            class="btn small"
            aria-label={t.deleteLabel(link.name ?? t.link)}
            onClick={onDelete}
          >
            {t.delete}
          </button>
        </Allowed>
      </ActionCell>
    </tr>
  );
}

function Labels({ names }: { names: string[] }) {
  if (names.length === 0) return <None />;
  return (
    <span class="chips">
      {names.map((name) => (
        <Chip key={name} title={name}>
          {name}
        </Chip>
      ))}
    </span>
  );
}
