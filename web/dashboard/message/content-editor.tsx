import { limits } from '../../../src/contract/limits';
import { api, type Template } from '../api';
import { Field, SelectField, TextField } from '../elements';
import { number } from '../format';
import { useResource } from '../resource';
import { Link } from '../router';
import { t } from '../texts';
import { ButtonFields } from './button-fields';
import type { ContentDraft, ContentField } from './content';
import { MediaFields } from './media-fields';

interface ContentProps {
  draft: ContentDraft;
  change: (part: Partial<ContentDraft>) => void;
  problemOf: (field: ContentField) => string | null;
}

/**
 * The content of a message: a template with its values, or text, format, media and buttons. The form around it keeps the
 * draft and says what is wrong with which field.
 */
export function ContentEditor(props: ContentProps) {
  const templates = useResource(api.messageTemplates, 'message-templates');
  return <ContentFields {...props} templates={templates.data?.data ?? []} />;
}

/** The same for a form with several messages, which reads the templates once. */
export function ContentFields(props: ContentProps & { templates: Template[] }) {
  const { draft, change, problemOf, templates } = props;
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
        <OwnContent {...props} />
      ) : (
        <TemplateValues
          key={draft.template}
          template={draft.template}
          vars={draft.vars}
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
    text: t.templateNamed(name ? `${name} (${key})` : key),
  }));
  if (chosen === '' || list.some(({ key }) => key === chosen)) return options;
  return [...options, { value: chosen, text: t.templateNamed(chosen) }];
}

function OwnContent({ draft, change, problemOf }: ContentProps) {
  return (
    <>
      <Field
        label={t.messageText}
        hint={t.textLength(number(draft.text.length), number(limits.messageTextLength))}
        error={problemOf('text')}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            class="prose"
            rows={7}
            required
            maxLength={limits.messageTextLength}
            value={draft.text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        )}
      </Field>
      <FormatField value={draft.format} onChange={(format) => change({ format })} />
      <MediaFields draft={draft} change={change} error={problemOf('media')} />
      <ButtonFields
        buttons={draft.buttons}
        onChange={(buttons) => change({ buttons })}
        error={problemOf('buttons')}
      />
    </>
  );
}

export function FormatField(props: {
  value: ContentDraft['format'];
  onChange: (format: ContentDraft['format']) => void;
}) {
  return (
    <SelectField
      label={t.textFormat}
      value={props.value}
      onChange={props.onChange}
      options={[
        { value: 'plain', text: t.formatPlain },
        { value: 'markdown', text: 'Markdown' },
        { value: 'html', text: 'HTML' },
      ]}
    />
  );
}

/** A field for each name that the message must bring; what Herald knows about a recipient needs none. */
function TemplateValues(props: {
  template: string;
  vars: Record<string, string>;
  error: string | null;
  onChange: (vars: Record<string, string>) => void;
}) {
  const needed = useResource(
    async () => (await api.previewTemplate({ key: props.template })).missing,
    props.template,
  );
  // A name with a dot comes from elsewhere, as the properties of an event do.
  const names = (needed.data ?? []).filter((name) => !name.includes('.'));
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
          value={props.vars[name] ?? ''}
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
