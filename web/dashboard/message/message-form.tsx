import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Crumbs, FormButtons, type Form } from '../elements';
import { Heading } from '../router';
import { t } from '../texts';
import { AudienceEditor, audienceFields, emptyAudience, type AudienceDraft } from './audience';
import { contentFields, emptyContent, isEmptyContent, type ContentDraft } from './content';
import { ContentEditor } from './content-editor';
import { ContentPreview } from './content-preview';

/** A message to an audience: what broadcasts, scheduled and recurring messages have in common. */
export type MessageDraft = ContentDraft & AudienceDraft;
export const emptyMessage: MessageDraft = { ...emptyContent, ...emptyAudience };

/** The names of the fields in the API, for `useForm`. */
export function messageFields(content: string, audience: string): string[] {
  return [
    ...contentFields.map((field) => `${content}${field}`),
    ...audienceFields.map((field) => `${audience}${field}`),
  ];
}

/** For a message that is stored with a name, its content and its audience. */
export const STORED_PATH = { content: 'content.', audience: 'audience.' };
export const storedFields = [
  'name',
  ...messageFields(STORED_PATH.content, STORED_PATH.audience),
  'content',
  'audience',
];

/**
 * A draft that is kept in this tab under a name, so that neither Back nor a reload loses it. Without a name it lasts as
 * long as the page.
 */
export function useDraft<D extends object>(name: string | null, initial: D) {
  const [draft, setDraft] = useState<D>(() => ({ ...initial, ...(name === null ? {} : stored(name)) }));
  const latest = useRef(draft);
  return {
    draft,
    change(part: Partial<D>) {
      latest.current = { ...latest.current, ...part };
      setDraft(latest.current);
      // At once, and not in an effect: a reload right after the last key would come before it.
      if (name !== null) store(name, latest.current);
    },
    forget: () => name !== null && store(name, null),
  };
}

const keyOf = (name: string) => `herald.draft.${name}`;

function stored(name: string): object {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}') as object;
  } catch {
    return {};
  }
}

function store(name: string, draft: object | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(keyOf(name));
    else sessionStorage.setItem(keyOf(name), JSON.stringify(draft));
  } catch {
    // A browser that stores nothing: the draft lasts as long as the page.
  }
}

/** The form on the left, how the phone shows the message on the right. */
export function MessageForm(props: {
  trail: { to: string; text: string }[];
  title: string;
  form: Form;
  draft: MessageDraft;
  change: (part: Partial<MessageDraft>) => void;
  /** What the API puts before the names of the fields, as in `content.text`. */
  path: { content: string; audience: string };
  /** What takes the place of the audience for a message to one subscriber. */
  recipient?: ComponentChildren;
  submit: string;
  disabled?: boolean;
  /** Above the message, and below the audience. */
  before?: ComponentChildren;
  after?: ComponentChildren;
  /** Below the previews. */
  aside?: ComponentChildren;
}) {
  const { form, draft, change, path } = props;
  const edit = (part: Partial<MessageDraft>) => {
    form.touch();
    change(part);
  };
  return (
    <>
      <Crumbs trail={props.trail} />
      <Heading title={props.title} />
      <div class="composer">
        <form class="panel" {...form.attributes}>
          {props.before}
          <ContentEditor
            draft={draft}
            change={edit}
            problemOf={(field) => form.problemOf(`${path.content}${field}`)}
          />
          {props.recipient ?? (
            <AudienceEditor
              draft={draft}
              change={edit}
              problemOf={(field) => form.problemOf(`${path.audience}${field}`)}
            />
          )}
          {props.after}
          <FormButtons
            form={form}
            submit={props.submit}
            disabled={isEmptyContent(draft) || props.disabled === true}
          />
        </form>
        <div class="previews" aria-label={t.preview}>
          <ContentPreview draft={draft} channels={draft.channel === '' ? undefined : [draft.channel]} />
          {props.aside}
        </div>
      </div>
    </>
  );
}
