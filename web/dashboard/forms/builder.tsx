import './styles';
import { useRef, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { Crumbs, Field, FormButtons, Icon, Loaded, TextField, toast, useForm, type Form } from '../elements';
import { DraftKeeper, useDraft } from '../message/drafts';
import { PreviewLanguage } from '../message/message-preview';
import { useResource } from '../resource';
import { go, Heading } from '../router';
import { language, t } from '../texts';
import { formsApi, type FormView } from './api';
import {
  definitionOf,
  draftOf,
  emptyForm,
  fieldTypes,
  isFull,
  newField,
  newRoute,
  shifted,
  type Action,
  type FieldDraft,
  type FormDraft,
  type RouteDraft,
} from './draft';
import { FieldEditor, fieldParts } from './field-editor';
import { MovingCard } from './moving';
import { FormPreview } from './preview';
import { RouteEditor, routeParts } from './route-editor';
import { actionText, fieldLabel, whenText } from './rules-text';
import { words } from './texts';

const actions: Action[] = ['message', 'tag', 'event', 'ticket', 'spam'];

export function NewForm() {
  // The same key for every attempt: a form whose response was lost is not made twice.
  const [key] = useState(() => crypto.randomUUID());
  return (
    <Builder
      title={words().newForm}
      initial={emptyForm}
      kept="new-form"
      stored={null}
      save={(draft, secret) => formsApi.create(definitionOf(draft, secret), key)}
    />
  );
}

export function EditForm({ id }: { id: string }) {
  const found = useResource(() => formsApi.form(id), id);
  return (
    <Loaded resource={found}>
      {(form) => (
        <Builder
          title={words().editForm(form.name)}
          initial={draftOf(form)}
          kept={`form.${id}.${form.updated_at}`}
          stored={form}
          save={(draft, secret) => formsApi.replace(id, definitionOf(draft, secret))}
        />
      )}
    </Loaded>
  );
}

function namedFields({ fields, routes }: FormDraft): string[] {
  return [
    ...['name', 'title_en', 'title_ru', 'fields', 'routes', 'allowed_origins', 'min_seconds', 'redirect_url'],
    ...['captcha', 'captcha.verify_url', 'captcha.secret'],
    ...fields.flatMap((_, index) => [
      `fields[${index}]`,
      ...fieldParts.map((part) => `fields[${index}].${part}`),
    ]),
    ...routes.flatMap((_, index) => [
      `routes[${index}]`,
      ...routeParts.map((part) => `routes[${index}].${part}`),
    ]),
  ];
}

/** The form on the left, its page as people will see it on the right. */
function Builder(props: {
  title: string;
  initial: FormDraft;
  /** The name under which this browser keeps the draft. */
  kept: string;
  stored: FormView | null;
  save: (draft: FormDraft, captchaSecret: string) => Promise<FormView>;
}) {
  const w = words();
  const kept = useDraft(props.kept, props.initial);
  const { draft } = kept;
  const [opened, setOpened] = useState<string | null>(null);
  const [shown, setShown] = useState(language);
  const [secret, setSecret] = useState('');
  const form = useForm(namedFields(draft), async () => {
    const saved = await props.save(draft, secret);
    kept.forget();
    toast(w.saved);
    go(`/dashboard/forms/${saved.form_id}${props.stored ? '' : '/share'}`);
  });
  const change = (part: Partial<FormDraft>) => {
    form.touch();
    kept.change(part);
  };
  const trail = [
    { to: '/dashboard/forms', text: w.forms },
    ...(props.stored ? [{ to: `/dashboard/forms/${props.stored.form_id}`, text: props.stored.name }] : []),
  ];
  return (
    <>
      <Crumbs trail={trail} />
      <Heading title={props.title} />
      <DraftKeeper kept={kept} />
      <div class="form-builder">
        <form
          {...form.attributes}
          onInvalidCapture={(event) => {
            form.attributes.onInvalidCapture();
            openAround(event.target as HTMLElement, setOpened);
          }}
        >
          <section class="panel">
            <TextField
              label={w.name}
              hint={w.nameHint}
              error={form.problemOf('name')}
              required
              maxLength={limits.nameLength}
              value={draft.name}
              onInput={(name) => change({ name })}
            />
            <div class="two">
              {(['title_en', 'title_ru'] as const).map((part) => (
                <TextField
                  key={part}
                  label={part === 'title_en' ? w.titleEn : w.titleRu}
                  error={form.problemOf(part)}
                  maxLength={limits.formTitleLength}
                  lang={part === 'title_en' ? 'en' : 'ru'}
                  value={draft[part]}
                  onInput={(title) => change({ [part]: title })}
                />
              ))}
            </div>
          </section>
          <Fields {...{ draft, change, form, opened, setOpened }} />
          <Routes {...{ draft, change, form, opened, setOpened }} />
          <Protection
            {...{ draft, change, form, secret, setSecret }}
            isStored={props.stored?.captcha != null}
          />
          <FormButtons
            form={form}
            submit={t.save}
            blocked={
              draft.name.trim() === '' ? w.nameMissing : draft.fields.length === 0 ? w.fieldMissing : null
            }
          />
        </form>
        <div class="previews">
          <div class="heading">
            <h2>{w.preview}</h2>
            <PreviewLanguage label={w.previewLanguage} value={shown} onChange={setShown} />
          </div>
          <FormPreview draft={draft} lang={shown} />
        </div>
      </div>
    </>
  );
}

/** The browser cannot show what is wrong in a closed card. */
function openAround(control: HTMLElement, open: (id: string) => void): void {
  const body = control.closest<HTMLElement>('.card-body[hidden]');
  if (!body) return;
  open(body.id);
  requestAnimationFrame(() => control.focus());
}

interface PartProps {
  draft: FormDraft;
  change: (part: Partial<FormDraft>) => void;
  form: Form;
}
interface CardsProps extends PartProps {
  opened: string | null;
  setOpened: (id: string | null) => void;
}

/** A card with a problem of the last submission is open, until another one is opened. */
const hasProblem = (form: Form, path: string, parts: readonly string[]) =>
  form.problemOf(path) !== null || parts.some((part) => form.problemOf(`${path}.${part}`) !== null);

/** Says where a row has gone. */
function useAnnouncement() {
  const line = useRef<HTMLParagraphElement>(null);
  return {
    say(text: string) {
      if (line.current) line.current.textContent = text;
    },
    line: <p ref={line} class="visually-hidden" role="status" />,
  };
}

function Fields({ draft, change, form, opened, setOpened }: CardsProps) {
  const w = words();
  const { fields } = draft;
  const announcement = useAnnouncement();
  const put = (key: number, part: Partial<FieldDraft>) =>
    change({ fields: fields.map((field) => (field.key === key ? { ...field, ...part } : field)) });
  const remove = (key: number) =>
    change({
      fields: fields.filter((field) => field.key !== key),
      routes: draft.routes.map((route) => ({
        ...route,
        rules: route.rules.map((rule) => (rule.field === key ? { ...rule, field: null } : rule)),
      })),
    });
  return (
    <section class="panel" aria-labelledby="form-fields">
      <h2 id="form-fields">{w.fields}</h2>
      <p class="hint">{w.fieldsHint}</p>
      <ol class="moving-cards">
        {fields.map((field, index) => {
          const id = `field-${field.key}`;
          const label = fieldLabel(field);
          const path = `fields[${index}]`;
          const isWrong = hasProblem(form, path, fieldParts);
          return (
            <MovingCard
              key={field.key}
              id={id}
              label={label}
              summary={
                <>
                  <span class="card-name">{label}</span>
                  <span class="hint">
                    {w.types[field.type]}
                    {field.required && ` · ${w.required.toLowerCase()}`}
                  </span>
                </>
              }
              isOpen={opened === id || (isWrong && opened === null)}
              isFirst={index === 0}
              isLast={index === fields.length - 1}
              hasProblem={isWrong}
              toggle={() => setOpened(opened === id ? null : id)}
              move={(step) => {
                change({ fields: shifted(fields, field.key, step) });
                announcement.say(w.movedTo(label, index + step + 1, fields.length));
              }}
              remove={() => remove(field.key)}
            >
              {form.problemOf(path) && (
                <p class="field-error" role="alert">
                  {form.problemOf(path)}
                </p>
              )}
              <FieldEditor
                field={field}
                others={fields.filter(({ key }) => key !== field.key)}
                path={path}
                form={form}
                set={(part) => put(field.key, part)}
              />
            </MovingCard>
          );
        })}
      </ol>
      {announcement.line}
      {form.problemOf('fields') && (
        <p class="field-error" role="alert">
          {form.problemOf('fields')}
        </p>
      )}
      {!isFull(draft).fields && (
        <AddMenu
          label={w.addField}
          choices={fieldTypes.map((value) => ({ value, text: w.types[value] }))}
          add={(type) => {
            const field = newField(fields, type);
            change({ fields: [...fields, field] });
            setOpened(`field-${field.key}`);
            focusIn(`field-${field.key}`);
          }}
        />
      )}
    </section>
  );
}

function Routes({ draft, change, form, opened, setOpened }: CardsProps) {
  const w = words();
  const { routes, fields } = draft;
  const announcement = useAnnouncement();
  const put = (key: number, part: Partial<RouteDraft>) =>
    change({ routes: routes.map((route) => (route.key === key ? { ...route, ...part } : route)) });
  return (
    <section class="panel" aria-labelledby="form-routes">
      <h2 id="form-routes">{w.routes}</h2>
      <p class="hint">{routes.length === 0 ? w.noRoutes : w.routesHint}</p>
      <ol class="moving-cards">
        {routes.map((route, index) => {
          const id = `route-${route.key}`;
          const label = actionText(route);
          const path = `routes[${index}]`;
          const isWrong = hasProblem(form, path, routeParts);
          return (
            <MovingCard
              key={route.key}
              id={id}
              label={label}
              summary={
                <>
                  <span class="card-name">{label}</span>
                  <span class="hint">{whenText(route, fields)}</span>
                </>
              }
              isOpen={opened === id || (isWrong && opened === null)}
              isFirst={index === 0}
              isLast={index === routes.length - 1}
              hasProblem={isWrong}
              toggle={() => setOpened(opened === id ? null : id)}
              move={(step) => {
                change({ routes: shifted(routes, route.key, step) });
                announcement.say(w.movedTo(label, index + step + 1, routes.length));
              }}
              remove={() => change({ routes: routes.filter(({ key }) => key !== route.key) })}
            >
              {form.problemOf(path) && (
                <p class="field-error" role="alert">
                  {form.problemOf(path)}
                </p>
              )}
              <RouteEditor
                route={route}
                fields={fields}
                path={path}
                form={form}
                set={(part) => put(route.key, part)}
              />
            </MovingCard>
          );
        })}
      </ol>
      {announcement.line}
      {!isFull(draft).routes && (
        <AddMenu
          label={w.addRoute}
          choices={actions.map((value) => ({ value, text: w.actions[value] }))}
          add={(action) => {
            const route = newRoute(routes, action);
            change({ routes: [...routes, route] });
            setOpened(`route-${route.key}`);
            focusIn(`route-${route.key}`);
          }}
        />
      )}
    </section>
  );
}

/** After the page has rendered it. */
function focusIn(id: string): void {
  requestAnimationFrame(() =>
    document.getElementById(id)?.querySelector<HTMLElement>('input, select, [contenteditable]')?.focus(),
  );
}

function AddMenu<V extends string>(props: {
  label: string;
  choices: { value: V; text: string }[];
  add: (value: V) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="add-menu">
      <button type="button" class="btn small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="plus" small /> {props.label}
      </button>
      {isOpen && (
        <span class="step-choices" role="group" aria-label={props.label}>
          {props.choices.map(({ value, text }) => (
            <button
              key={value}
              type="button"
              class="btn small"
              onClick={() => {
                setOpen(false);
                props.add(value);
              }}
            >
              {text}
            </button>
          ))}
        </span>
      )}
    </div>
  );
}

function Protection(
  props: PartProps & { secret: string; setSecret: (secret: string) => void; isStored: boolean },
) {
  const { draft, change, form, isStored } = props;
  const w = words();
  return (
    <section class="panel" aria-labelledby="form-protection">
      <h2 id="form-protection">{w.protection}</h2>
      <Field label={w.origins} hint={w.originsHint} error={form.problemOf('allowed_origins')}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            spellcheck={false}
            placeholder="https://shop.example"
            value={draft.origins}
            onInput={(event) => change({ origins: event.currentTarget.value })}
          />
        )}
      </Field>
      <div class="two">
        <TextField
          label={w.minSeconds}
          hint={w.minSecondsHint}
          error={form.problemOf('min_seconds')}
          type="number"
          required
          min={0}
          max={limits.formMinSeconds}
          value={draft.minSeconds}
          onInput={(minSeconds) => change({ minSeconds })}
        />
        <TextField
          label={w.redirect}
          hint={w.redirectHint}
          error={form.problemOf('redirect_url')}
          type="url"
          placeholder="https://"
          maxLength={limits.urlLength}
          value={draft.redirect}
          onInput={(redirect) => change({ redirect })}
        />
      </div>
      <label class="choice">
        <input
          type="checkbox"
          checked={draft.hasCaptcha}
          onChange={(event) => change({ hasCaptcha: event.currentTarget.checked })}
        />{' '}
        {w.captcha}
      </label>
      {draft.hasCaptcha && (
        <div class="two">
          <TextField
            label={w.captchaUrl}
            hint={w.captchaUrlHint}
            error={form.problemOf('captcha.verify_url') ?? form.problemOf('captcha')}
            type="url"
            required
            placeholder="https://"
            maxLength={limits.urlLength}
            value={draft.captchaUrl}
            onInput={(captchaUrl) => change({ captchaUrl })}
          />
          <TextField
            label={w.captchaSecret}
            hint={isStored ? w.captchaKept : undefined}
            error={form.problemOf('captcha.secret')}
            type="password"
            autocomplete="off"
            required={!isStored}
            maxLength={limits.formCaptchaSecretLength}
            value={props.secret}
            onInput={props.setSecret}
          />
        </div>
      )}
      <label class="choice">
        <input
          type="checkbox"
          checked={draft.isActive}
          onChange={(event) => change({ isActive: event.currentTarget.checked })}
        />{' '}
        {w.takesSubmissions}
      </label>
      <p class="hint">{w.takesHint}</p>
    </section>
  );
}
