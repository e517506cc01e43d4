import { limits } from '../../../src/base/contract/limits';
import { api, type Template } from '../api';
import { SelectField, TextField } from '../elements';
import { useResource } from '../resource';
import { Link } from '../router';
import { t } from '../texts';
import { isPersonal, type ContentDraft, type ContentField } from './content';
import { MediaFields } from './media-fields';
import { templateTitle } from './placeholder-name';
import { TextEditor, type TextUse } from './text-editor';

interface ContentProps {
  draft: ContentDraft;
  change: (part: Partial<ContentDraft>) => void;
  problemOf: (field: ContentField) => string | null;
  use?: TextUse;
  /** Names whose values come from elsewhere, as the answers to a form do. */
  given?: string[];
}

/**
 * The content of a message: a template with its values, or text and media; its buttons are edited in the preview. The
 * form around it keeps the draft and says what is wrong with which field.
 */
export function ContentEditor(props: ContentProps) {
  const { draft, change, problemOf, given = [] } = props;
  const found = useResource(api.messageTemplates, 'message-templates');
  const templates = found.data?.data ?? [];
  return (
    <>
      {(templates.length > 0 || draft.template !== '') && (
        <SelectField
          label={t.contentSource}
          value={draft.template}
          error={problemOf('template')}
          onChange={(template) => change({ template, vars: {} })}
          options={[{ value: '', text: t.contentOwn }, ...templateOptions(templates, draft.template)]}
        />
      )}
      {draft.template === '' ? (
        <>
          <TextEditor
            label={t.messageText}
            error={problemOf('text') ?? problemOf('vars') ?? problemOf('format')}
            text={draft.text}
            format={draft.format}
            change={change}
            required
            use={props.use ?? 'message'}
            given={[...given, ...Object.keys(draft.vars)]}
            isLiteral={!isPersonal(draft)}
          />
          <MediaFields draft={draft} change={change} error={problemOf('media')} />
        </>
      ) : (
        <TemplateValues
          key={draft.template}
          template={draft.template}
          vars={draft.vars}
          given={given}
          error={problemOf('vars')}
          onChange={(vars) => change({ vars })}
        />
      )}
    </>
  );
}

/** The chosen one is there even before the list has been read. */
function templateOptions(list: Template[], chosen: string): { value: string; text: string }[] {
  const options = list.map(({ key, name }) => ({
    value: key,
    text: name ? `${templateTitle(key, name)} (${key})` : templateTitle(key, null),
  }));
  if (chosen === '' || list.some(({ key }) => key === chosen)) return options;
  return [...options, { value: chosen, text: templateTitle(chosen, null) }];
}

/** A field for each name that the message must bring; what Herald knows about a recipient needs none. */
function TemplateValues(props: {
  template: string;
  vars: ContentDraft['vars'];
  given: string[];
  error: string | null;
  onChange: (vars: ContentDraft['vars']) => void;
}) {
  const needed = useResource(
    async () => (await api.previewTemplate({ key: props.template })).missing,
    props.template,
  );
  // A name with a dot comes from elsewhere, as the properties of an event do.
  const names = (needed.data ?? []).filter((name) => !name.includes('.') && !props.given.includes(name));
  return (
    <>
      <p class="hint">
        <Link to={`/dashboard/templates/${encodeURIComponent(props.template)}`}>{t.openTemplate}</Link>
      </p>
      {names.map((name) => (
        <TextField
          key={name}
          label={t.templateValue(name)}
          required
          maxLength={limits.templateValueLength}
          value={String(props.vars[name] ?? '')}
          onInput={(value) => props.onChange({ ...props.vars, [name]: value })}
        />
      ))}
      {props.error && (
        <p class="field-error" role="alert">
          {props.error}
        </p>
      )}
    </>
  );
}
