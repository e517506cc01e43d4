import { useEffect, useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type Template, type TemplateDefinition } from '../api';
import {
  Badge,
  Cell,
  Chip,
  ConfirmDialog,
  Crumbs,
  Empty,
  Field,
  Icon,
  Pager,
  Problem,
  Select,
  Table,
  Time,
  toast,
  useForm,
} from '../elements';
import { number } from '../format';
import { useResource } from '../resource';
import { go, Heading, Link, usePages } from '../router';
import { t } from '../texts';
import { PhonePreview } from './phone-preview';

const PREVIEW_MS = 400;

export function Templates({ open }: { open: string | undefined }) {
  if (open === undefined) return <TemplateList />;
  return open === 'new' ? (
    <Editor template={null} />
  ) : (
    <OpenTemplate key={open} id={decodeURIComponent(open)} />
  );
}

function TemplateList() {
  const pages = usePages();
  const found = useResource(() => api.templates(pages.cursor), pages.cursor ?? '');
  const list = found.data?.data;
  return (
    <>
      <div class="heading">
        <Heading title={t.templates} />
        <Link to="/dashboard/templates/new" class="btn primary">
          <Icon name="plus" small /> {t.newTemplate}
        </Link>
      </div>
      <p class="lead">{t.templatesLead}</p>
      <Problem error={found.error} />
      {list?.length === 0 && <Empty icon="document" title={t.noTemplates} text={t.noTemplatesText} />}
      {list && list.length > 0 && (
        <Table label={t.templates} columns={[t.templateKey, t.languages, t.variables, t.version, t.changed]}>
          {list.map((template) => (
            <tr key={template.key}>
              <Cell label={t.templateKey}>
                <Link to={`/dashboard/templates/${encodeURIComponent(template.key)}`}>{template.key}</Link>
                {template.purpose === 'reply' && <Badge tone="neutral">{t.templateReply}</Badge>}
              </Cell>
              <Cell label={t.languages}>{Object.keys(template.variants).join(', ')}</Cell>
              <Cell label={t.variables}>
                {template.variables.slice(0, 4).map((name) => (
                  <Chip key={name}>{name}</Chip>
                ))}
                {template.variables.length > 4 && '…'}
              </Cell>
              <Cell label={t.version}>{number(template.version)}</Cell>
              <Cell label={t.changed}>
                <Time at={template.updated_at} />
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </>
  );
}

function OpenTemplate({ id }: { id: string }) {
  const found = useResource(() => api.template(id), id);
  if (found.error) return <Problem error={found.error} />;
  return found.data ? (
    <Editor key={found.data.version} template={found.data} />
  ) : (
    <p class="asking">{t.loading}</p>
  );
}

interface Draft {
  key: string;
  name: string;
  purpose: Template['purpose'];
  format: Template['format'];
  en: string;
  ru: string;
}

function draftOf(template: Template | null): Draft {
  return {
    key: template?.key ?? '',
    name: template?.name ?? '',
    purpose: template?.purpose ?? 'message',
    format: template?.format ?? 'plain',
    en: template?.variants.en?.text ?? '',
    ru: template?.variants.ru?.text ?? '',
  };
}

/** Buttons and media of a saved template stay as they are. */
function definitionOf(draft: Draft, before: Template | null): TemplateDefinition {
  const variant = (lang: 'en' | 'ru') => ({ ...before?.variants[lang], text: draft[lang] });
  const keepsDefault = before && draft[before.default_lang].trim() !== '';
  return {
    ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
    purpose: draft.purpose,
    format: draft.format,
    ...(keepsDefault ? { default_lang: before.default_lang } : {}),
    variants: {
      ...(draft.en.trim() === '' ? {} : { en: variant('en') }),
      ...(draft.ru.trim() === '' ? {} : { ru: variant('ru') }),
    },
  };
}

/** The texts on the left, how the phone shows them on the right. */
function Editor({ template }: { template: Template | null }) {
  const [draft, setDraft] = useState(() => draftOf(template));
  const [removing, setRemoving] = useState(false);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const form = useForm(['key', 'name', 'variants.en.text', 'variants.ru.text'], async () => {
    const definition = definitionOf(draft, template);
    if (template) await api.replaceTemplate(template.key, definition);
    else await api.createTemplate({ key: draft.key, ...definition });
    toast(t.templateSaved);
    go('/dashboard/templates');
  });
  const isEmpty = draft.en.trim() === '' && draft.ru.trim() === '';
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/templates', text: t.templates }]} />
      <Heading title={template ? template.key : t.newTemplate} />
      <div class="composer">
        <form class="panel" {...form.attributes}>
          {!template && (
            <Field label={t.templateKey} hint={t.templateKeyHint} error={form.problemOf('key')}>
              {(attributes) => (
                <input
                  {...attributes}
                  required
                  pattern="[a-z0-9_\-]{1,64}"
                  value={draft.key}
                  onInput={(event) => change({ key: event.currentTarget.value })}
                />
              )}
            </Field>
          )}
          <Field label={t.nameOptional} error={form.problemOf('name')}>
            {(attributes) => (
              <input
                {...attributes}
                maxLength={limits.nameLength}
                value={draft.name}
                onInput={(event) => change({ name: event.currentTarget.value })}
              />
            )}
          </Field>
          <div class="two">
            <Select
              label={t.textFormat}
              value={draft.format}
              onChange={(value) => change({ format: value as Draft['format'] })}
              options={[
                { value: 'plain', text: t.formatPlain },
                { value: 'markdown', text: 'Markdown' },
                { value: 'html', text: 'HTML' },
              ]}
            />
            <Select
              label={t.templatePurpose}
              value={draft.purpose}
              onChange={(value) => change({ purpose: value as Draft['purpose'] })}
              options={[
                { value: 'message', text: t.templateMessage },
                { value: 'reply', text: t.templateReply },
              ]}
            />
          </div>
          {(['en', 'ru'] as const).map((lang) => (
            <Field
              key={lang}
              label={lang === 'en' ? t.textEn : t.textRu}
              hint={t.placeholderHint}
              error={form.problemOf(`variants.${lang}.text`)}
            >
              {(attributes) => (
                <textarea
                  {...attributes}
                  class="prose"
                  rows={5}
                  lang={lang}
                  maxLength={limits.messageTextLength}
                  value={draft[lang]}
                  onInput={(event) => change({ [lang]: event.currentTarget.value })}
                />
              )}
            </Field>
          ))}
          <Problem error={form.error} />
          <p class="buttons end">
            {template && (
              <button type="button" class="btn danger" onClick={() => setRemoving(true)}>
                {t.remove}
              </button>
            )}
            <button type="submit" class="btn primary" disabled={form.busy || isEmpty}>
              {t.save}
            </button>
          </p>
        </form>
        <div class="previews">
          {(['en', 'ru'] as const).map(
            (lang) =>
              draft[lang].trim() !== '' && (
                <LivePreview key={lang} lang={lang} definition={definitionOf(draft, template)} />
              ),
          )}
        </div>
      </div>
      {removing && template && (
        <ConfirmDialog
          title={t.removeTemplateTitle(template.key)}
          text={t.removeTemplateText}
          confirm={t.remove}
          dismiss={t.goBack}
          act={async () => {
            await api.removeTemplate(template.key);
            go('/dashboard/templates');
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

/** Rendered by the API shortly after the last change, so that it shows what a message would show. */
function LivePreview({ lang, definition }: { lang: 'en' | 'ru'; definition: TemplateDefinition }) {
  const wanted = JSON.stringify(definition);
  const [settled, setSettled] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(wanted), PREVIEW_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const shown = useResource(
    () => api.previewTemplate({ template: JSON.parse(settled) as TemplateDefinition, lang }),
    `${lang} ${settled}`,
  );
  return (
    <section aria-label={lang === 'en' ? t.textEn : t.textRu}>
      <PhonePreview
        channel={lang === 'en' ? 'telegram' : 'max'}
        text={shown.data?.text ?? ''}
        format={shown.data?.format ?? 'plain'}
        button={shown.data?.buttons[0]?.[0]?.text ?? ''}
      />
      <Problem error={shown.error} />
      {shown.data && shown.data.missing.length > 0 && (
        <p class="hint">{t.templateNeeds(shown.data.missing.join(', '))}</p>
      )}
    </section>
  );
}
