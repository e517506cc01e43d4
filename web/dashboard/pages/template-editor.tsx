import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { can } from '../access';
import { api, type Template, type TemplateDefinition } from '../api';
import {
  Allowed,
  ConfirmDialog,
  Crumbs,
  FormButtons,
  Loaded,
  SelectField,
  TextField,
  toast,
  useForm,
  type Form,
} from '../elements';
import {
  buttonDrafts,
  buttonsOf,
  emptyContent,
  mediaDraft,
  mediaOf,
  type ButtonDraft,
  type ContentDraft,
} from '../message/content';
import { DraftKeeper, useDraft } from '../message/drafts';
import { MediaFields } from '../message/media-fields';
import { MessagePreview, PreviewLanguage } from '../message/message-preview';
import { TextEditor } from '../message/text-editor';
import { pageTexts } from '../page-texts';
import { useResource } from '../resource';
import { go, Heading } from '../router';
import { t } from '../texts';

const languages = ['en', 'ru'] as const;
type Language = (typeof languages)[number];

type Variant = Pick<ContentDraft, 'text' | 'mediaType' | 'mediaUrl'> & { buttons: ButtonDraft[] };

interface Draft extends Record<Language, Variant> {
  key: string;
  name: string;
  purpose: Template['purpose'];
  format: Template['format'];
}

export function OpenTemplate({ id }: { id: string }) {
  const found = useResource(() => api.template(id), id);
  return (
    <Loaded resource={found}>
      {(template) => <TemplateEditor key={template.version} template={template} />}
    </Loaded>
  );
}

function draftOf(template: Template | null): Draft {
  const variant = (lang: Language): Variant => {
    const found = template?.variants[lang];
    return {
      text: found?.text ?? '',
      buttons: buttonDrafts(found?.buttons ?? []),
      ...mediaDraft({ media: found?.media }),
    };
  };
  return {
    key: template?.key ?? '',
    name: template?.name ?? '',
    purpose: template?.purpose ?? 'message',
    format: template?.format ?? 'plain',
    en: variant('en'),
    ru: variant('ru'),
  };
}

/** A language without a text is left out. */
function definitionOf(draft: Draft, before: Template | null): TemplateDefinition {
  const variant = (lang: Language) => ({
    text: draft[lang].text,
    buttons: buttonsOf(draft[lang].buttons),
    ...mediaOf(draft[lang]),
  });
  const keepsDefault = before && draft[before.default_lang].text.trim() !== '';
  return {
    ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
    purpose: draft.purpose,
    format: draft.format,
    ...(keepsDefault ? { default_lang: before.default_lang } : {}),
    variants: {
      ...(draft.en.text.trim() === '' ? {} : { en: variant('en') }),
      ...(draft.ru.text.trim() === '' ? {} : { ru: variant('ru') }),
    },
  };
}

const FIELDS = [
  'key',
  'name',
  ...languages.flatMap((lang) => ['text', 'media', 'buttons'].map((field) => `variants.${lang}.${field}`)),
];

/** The texts on the left, how the phone shows them on the right. */
export function TemplateEditor({ template = null }: { template?: Template | null }) {
  const kept = useDraft(
    template ? `template.${template.key}` : 'new-template',
    draftOf(template),
    template?.version,
  );
  const { draft, change } = kept;
  const [shown, setShown] = useState<Language>(template?.default_lang ?? 'en');
  const [removing, setRemoving] = useState(false);
  const form = useForm(FIELDS, async () => {
    const definition = definitionOf(draft, template);
    if (template) await api.replaceTemplate(template.key, definition);
    else await api.createTemplate({ key: draft.key, ...definition });
    kept.forget();
    toast(t.templateSaved);
    go('/dashboard/templates');
  });
  const canEdit = can('manage');
  const title = template ? template.name || template.key : t.newTemplate;
  const isWritten = languages.some((lang) => draft[lang].text.trim() !== '');
  const missing =
    !template && draft.key.trim() === '' ? pageTexts().keyMissing : isWritten ? null : t.textMissing;
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/templates', text: t.templates }]} />
      <div class="heading">
        <Heading title={title} />
        {template?.name && <code class="hint">{template.key}</code>}
      </div>
      {!canEdit && <p class="lead">{pageTexts().viewTemplateOnly}</p>}
      <DraftKeeper kept={kept} />
      <form class="composer" {...form.attributes}>
        <div class="panel compose-message">
          <fieldset class="plain" disabled={!canEdit}>
            {!template && (
              <TextField
                label={t.templateKey}
                hint={t.templateKeyHint}
                error={form.problemOf('key')}
                required
                pattern="[a-z0-9_\-]{1,64}"
                value={draft.key}
                onInput={(key) => change({ key })}
              />
            )}
            <TextField
              label={t.nameOptional}
              error={form.problemOf('name')}
              maxLength={limits.nameLength}
              value={draft.name}
              onInput={(name) => change({ name })}
            />
            <SelectField
              label={t.templatePurpose}
              value={draft.purpose}
              onChange={(purpose) => change({ purpose })}
              options={[
                { value: 'message', text: t.templateMessage },
                { value: 'reply', text: t.templateReply },
              ]}
            />
            {languages.map((lang) => (
              <VariantFields
                key={lang}
                lang={lang}
                readOnly={!canEdit}
                variant={draft[lang]}
                format={draft.format}
                change={({ format, ...part }) =>
                  change({ ...(format ? { format } : {}), [lang]: { ...draft[lang], ...part } })
                }
                form={form}
                onFocus={() => setShown(lang)}
              />
            ))}
          </fieldset>
          <Allowed scope="manage">
            <FormButtons form={form} submit={t.save} blocked={missing}>
              {template && (
                <button type="button" class="btn" onClick={() => setRemoving(true)}>
                  {t.delete}
                </button>
              )}
            </FormButtons>
          </Allowed>
        </div>
        <div class="previews">
          <div class="heading">
            <h2>{t.preview}</h2>
            <PreviewLanguage label={t.language} value={shown} onChange={setShown} />
          </div>
          <MessagePreview
            key={shown}
            draft={{ ...emptyContent, ...draft[shown], format: draft.format }}
            {...(canEdit
              ? {
                  change: ({ buttons }: Partial<ContentDraft>) => {
                    form.touch();
                    if (buttons) change({ [shown]: { ...draft[shown], buttons } });
                  },
                }
              : {})}
            buttonsError={form.problemOf(`variants.${shown}.buttons`)}
          />
        </div>
      </form>
      {removing && template && (
        <ConfirmDialog
          title={t.removeTemplateTitle(title)}
          text={t.removeTemplateText}
          confirm={t.delete}
          act={async () => {
            await api.removeTemplate(template.key);
            kept.forget();
            go('/dashboard/templates');
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

/** The message in one language. Media is asked for once there is a text; buttons are edited in the preview. */
function VariantFields(props: {
  lang: Language;
  readOnly: boolean;
  variant: Variant;
  format: Draft['format'];
  change: (part: Partial<Variant> & { format?: Draft['format'] }) => void;
  form: Form;
  onFocus: () => void;
}) {
  const { lang, variant, change, form } = props;
  return (
    <>
      <TextEditor
        label={lang === 'en' ? t.textEn : t.textRu}
        error={form.problemOf(`variants.${lang}.text`)}
        text={variant.text}
        format={props.format}
        change={change}
        rows={5}
        readOnly={props.readOnly}
        lang={lang}
        use="template"
        onFocus={props.onFocus}
      />
      {variant.text.trim() !== '' && (
        <MediaFields draft={variant} change={change} error={form.problemOf(`variants.${lang}.media`)} />
      )}
    </>
  );
}
