import { useEffect, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { can } from '../access';
import { api, type PreviewRequest, type Subscriber } from '../api';
import { ActionButton, Combobox, Icon, Problem, toast } from '../elements';
import { messengerName, messengers } from '../messengers';
import { useResource, useSettled } from '../resource';
import { t } from '../texts';
import { ButtonEditor, canAddButton, newButton } from './button-editor';
import {
  buttonRows,
  contentOf,
  isEmptyContent,
  isPersonal,
  type ButtonDraft,
  type ContentDraft,
} from './content';
import { personText, useFewPeople, useFoundPeople } from './people';
import { PhonePreview, type ShownButton } from './phone-preview';
import { readableText } from './placeholder-name';
import { piecesOf, withMarkedValues } from './placeholders';

type Language = 'en' | 'ru';

/** What the preview needs of a subscriber. */
export type Person = Pick<Subscriber, 'subscriber_id' | 'first_name' | 'username' | 'channel' | 'lang'>;

/** A message as it is shown. */
interface Rendering {
  text: string;
  format: ContentDraft['format'];
  media: ContentDraft['mediaType'];
  mediaUrl: string;
  /** The texts of the buttons in their order. */
  buttons: string[];
  missing: string[];
}

/**
 * The message as a real subscriber gets it: choose the person, the messenger and, for a template, the language. With
 * `change` the buttons are added and edited here, where they will be.
 */
export function MessagePreview(props: {
  draft: ContentDraft;
  /** Empty: every messenger. */
  channel?: string;
  /** Of the audience: people who have it are offered first. */
  tag?: string;
  /** The only recipient, if there is one. */
  person?: Person | null | undefined;
  change?: (part: Partial<ContentDraft>) => void;
  buttonsError?: string | null;
  /** Whether the draft can be sent to the person as a test. */
  canTest?: boolean;
}) {
  const { draft } = props;
  const [chosen, setChosen] = useState<Person | null>(null);
  const [channel, setChannel] = useState('');
  const [language, setLanguage] = useState<Language | null>(null);
  const people = useFewPeople(props.channel, props.tag);
  const person = props.person ?? chosen ?? people?.[0] ?? null;
  const channels = messengers().map((messenger) => messenger.channel);
  const shownChannel = props.channel || channel || person?.channel || channels[0] || '';
  const shownLanguage = language ?? (person?.lang === 'ru' ? 'ru' : 'en');
  const isTemplate = draft.template !== '';
  // Whom it is for is not known yet.
  const isWaiting = person === null && people === null;
  const rendered = useRendering(
    draft,
    isWaiting
      ? null
      : {
          ...(person ? { subscriber_id: person.subscriber_id } : {}),
          ...(isTemplate && language ? { lang: language } : {}),
        },
  );
  const pick = (next: Person) => {
    setChosen(next);
    setChannel(next.channel);
    setLanguage(null);
  };
  return (
    <section class="preview" aria-label={t.preview}>
      {!props.person && (
        <PersonSwitch people={people} person={person} channel={props.channel ?? ''} onPick={pick} />
      )}
      <div class="row">
        {!props.channel && channels.length > 1 && (
          <Switch
            label={t.channel}
            value={shownChannel}
            options={channels.map((value) => ({ value, text: messengerName(value) }))}
            onChange={setChannel}
          />
        )}
        {isTemplate && <PreviewLanguage label={t.language} value={shownLanguage} onChange={setLanguage} />}
      </div>
      <EditablePhone
        channel={shownChannel}
        rendered={rendered.shown}
        draft={draft}
        change={isTemplate ? undefined : props.change}
        error={props.buttonsError ?? null}
      />
      <Problem error={rendered.error} />
      {rendered.shown.missing.length > 0 && (
        <p class="hint">{t.templateNeeds(rendered.shown.missing.join(', '))}</p>
      )}
      {props.canTest && person && can('send') && <TestSend draft={draft} person={person} />}
    </section>
  );
}

/**
 * What a draft looks like: at once where nothing is personal, else as the API renders it, shortly after the last key.
 * Nothing is asked for without `given`.
 */
function useRendering(
  draft: ContentDraft,
  given: Partial<PreviewRequest> | null,
): { shown: Rendering; error: Error | null } {
  const plain: Rendering = {
    text: draft.text,
    format: draft.format,
    media: draft.mediaType,
    mediaUrl: draft.mediaUrl,
    buttons: draft.buttons.map(({ text }) => text),
    missing: [],
  };
  const isOwn = draft.template === '';
  // A placeholder that is still being typed is shown as it stands.
  const isWhole = [draft.text, ...draft.buttons.flatMap(({ text, value }) => [text, value])].every(piecesOf);
  const isAsked = !isOwn || (isPersonal(draft) && isWhole && draft.text.trim() !== '');
  const wanted = isAsked && given ? JSON.stringify(requestOf(draft, given)) : '';
  const settled = useSettled(wanted);
  const asked = useResource(async () => {
    if (settled === '') return null;
    const request = JSON.parse(settled) as PreviewRequest;
    return { template: request.key ?? '', result: await previewed(request) };
  }, settled);
  // While the next one is on its way, the last one of the same template stays.
  const [last, setLast] = useState(asked.data);
  useEffect(() => {
    if (asked.data) setLast(asked.data);
  }, [asked.data]);
  const newest = asked.data ?? last;
  const result = newest?.template === draft.template ? newest.result : null;
  const error = isAsked ? asked.error : null;
  if (!isAsked) return { shown: plain, error };
  // Until the first rendering has come.
  if (!result) {
    const unrendered = isOwn ? { text: readableText(draft.text) } : { text: '', buttons: [] };
    return { shown: { ...plain, ...unrendered }, error };
  }
  const texts = result.buttons.flat().map(({ text }) => text);
  const shown: Rendering = {
    text: isOwn ? withMarkedValues(draft.text, result.text) : result.text,
    format: result.format,
    media: isOwn ? draft.mediaType : (result.media?.type ?? ''),
    mediaUrl: isOwn ? draft.mediaUrl : (result.media?.url ?? ''),
    buttons: texts,
    missing: result.missing,
  };
  return { shown, error };
}

/** Media and addresses are checked when the message is sent: a half-typed one must not hide the text. */
function requestOf(draft: ContentDraft, given: Partial<PreviewRequest>): PreviewRequest {
  if (draft.template !== '') {
    const { template: key = '', vars = {} } = contentOf(draft);
    return { ...given, key, vars };
  }
  const buttons = draft.buttons.map(({ text }) => [{ text: text.trim() || '…', data: '-' }]);
  return {
    ...given,
    content: { text: draft.text, format: draft.format, buttons: rowsOf(buttons), personalize: true },
    vars: draft.vars,
  };
}

/** Rows in any arrangement: only their texts are read. */
function rowsOf<B>(buttons: B[][]): B[][] {
  const flat = buttons.flat();
  return [0, 3, 6].map((from) => flat.slice(from, from + 3)).filter((row) => row.length > 0);
}

/** What a message must bring is shown by its name in braces, where it will stand. */
async function previewed(request: PreviewRequest) {
  const first = await api.previewTemplate(request);
  const names = first.missing.filter((name) => !name.includes('.'));
  if (names.length === 0) return first;
  const stand = Object.fromEntries(names.map((name) => [name, `{${name}}`]));
  const second = await api.previewTemplate({ ...request, vars: { ...request.vars, ...stand } });
  return { ...second, missing: first.missing };
}

function EditablePhone(props: {
  channel: string;
  rendered: Rendering;
  draft: ContentDraft;
  change: ((part: Partial<ContentDraft>) => void) | undefined;
  error: string | null;
}) {
  const { rendered, draft, change } = props;
  const [open, setOpen] = useState<number | null>(null);
  const { buttons } = draft;
  const rows: ShownButton[][] = change
    ? buttonRows(buttons).map((row) =>
        row.map((button) => ({
          key: button.key,
          text: rendered.buttons[buttons.indexOf(button)]?.trim() || button.text.trim() || t.newButton,
        })),
      )
    : shownRows(rendered, draft);
  const edited = buttons.find(({ key }) => key === open) ?? (props.error ? buttons[0] : undefined);
  const set = (next: ButtonDraft[]) => change?.({ buttons: next });
  return (
    <>
      <PhonePreview
        channel={props.channel}
        text={rendered.text}
        format={rendered.format}
        media={rendered.media}
        mediaUrl={rendered.mediaUrl}
        buttons={rows}
        edited={edited?.key}
        onEdit={change ? (key) => setOpen(open === key ? null : key) : undefined}
      >
        {change && canAddButton(buttons) && (
          <button
            type="button"
            class="btn small quiet add-button"
            onClick={() => {
              const added = newButton(buttons);
              set([...buttons, added]);
              setOpen(added.key);
            }}
          >
            <Icon name="plus" small /> {t.addButton}
          </button>
        )}
      </PhonePreview>
      {change && edited && (
        <ButtonEditor
          key={edited.key}
          button={edited}
          isFirst={buttons[0] === edited}
          error={props.error}
          set={(part) => set(buttons.map((each) => (each.key === edited.key ? { ...each, ...part } : each)))}
          remove={() => {
            set(buttons.filter(({ key }) => key !== edited.key));
            setOpen(null);
          }}
          close={() => setOpen(null)}
        />
      )}
    </>
  );
}

/** Buttons that are only shown: those of the draft in their rows, those of a template one below the other. */
function shownRows(rendered: Rendering, draft: ContentDraft): ShownButton[][] {
  const isOwn = draft.template === '' && draft.buttons.length === rendered.buttons.length;
  if (!isOwn) return rendered.buttons.map((text, key) => [{ key, text }]);
  return buttonRows(draft.buttons).map((row) =>
    row.map((button) => ({ key: button.key, text: rendered.buttons[draft.buttons.indexOf(button)] ?? '' })),
  );
}

export function Switch<V extends string>(props: {
  label: string;
  value: V;
  options: { value: V; text: string }[];
  onChange: (value: V) => void;
}) {
  return (
    <div class="tabs" role="group" aria-label={props.label}>
      {props.options.map(({ value, text }) => (
        <button
          key={value}
          type="button"
          class="btn small"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** In which of its languages something is shown. */
export function PreviewLanguage(props: {
  label: string;
  value: Language;
  onChange: (language: Language) => void;
}) {
  const options: { value: Language; text: string }[] = [
    { value: 'en', text: 'English' },
    { value: 'ru', text: 'Русский' },
  ];
  return <Switch {...props} options={options} />;
}

/** A few subscribers to switch between, and a search for any other. */
function PersonSwitch(props: {
  /** Null until they have been read. */
  people: Person[] | null;
  person: Person | null;
  channel: string;
  onPick: (person: Person) => void;
}) {
  const { person } = props;
  const people = props.people ?? [];
  const shown = person && !people.some((each) => isSame(each, person)) ? [person, ...people] : people;
  return (
    <div class="people">
      {props.people && shown.length === 0 && <p class="hint">{t.noPreviewPeople}</p>}
      {shown.length > 0 && (
        <div class="chips" role="group" aria-label={t.previewFor}>
          <span class="hint">{t.previewFor}</span>
          {shown.map((each) => (
            <button
              key={each.subscriber_id}
              type="button"
              class="chip"
              aria-pressed={isSame(each, person)}
              onClick={() => props.onPick(each)}
            >
              {each.first_name}
            </button>
          ))}
        </div>
      )}
      <PersonField label={t.findPerson} channel={props.channel} onPick={props.onPick} />
    </div>
  );
}

const isSame = (one: Person, other: Person | null) => one.subscriber_id === other?.subscriber_id;

/** Finds a subscriber by name, username or external ID. */
export function PersonField(props: {
  label: string;
  error?: string | null;
  channel?: string;
  onPick: (person: Subscriber) => void;
}) {
  const [typed, setTyped] = useState('');
  const people = useFoundPeople(typed, props.channel);
  return (
    <Combobox
      label={props.label}
      error={props.error}
      placeholder={t.findPersonHint}
      maxLength={limits.externalIdLength}
      value={typed}
      none={people === null ? undefined : t.noTestRecipient}
      suggestions={(people ?? []).map((person) => ({
        key: person.subscriber_id,
        text: `${personText(person)} · ${messengerName(person.channel)}`,
        person,
      }))}
      onInput={setTyped}
      onPick={({ person }) => {
        props.onPick(person);
        setTyped('');
      }}
    />
  );
}

/** Sends the draft to one subscriber by the same path as any message. */
function TestSend({ draft, person }: { draft: ContentDraft; person: Person }) {
  const [error, setError] = useState<Error | null>(null);
  const send = async () => {
    const result = await api.send({ subscriber_id: person.subscriber_id, ...contentOf(draft) });
    const [detail] = result.details;
    if (detail && detail.status !== 'sent') {
      throw new Error(t.testFailed(t.sendReasons[detail.reason ?? 'unknown']));
    }
    toast(t.testSent(person.first_name));
  };
  const blocked = isEmptyContent(draft) ? t.textMissing : undefined;
  return (
    <div class="test-send">
      <ActionButton small blocked={blocked} act={send} onError={setError}>
        {t.sendTestTo(person.first_name)}
      </ActionButton>
      {blocked && <p class="hint">{blocked}</p>}
      <Problem error={error} />
    </div>
  );
}
