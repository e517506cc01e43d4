import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type ProjectTexts, type ProjectView } from '../api';
import { Field, FormButtons, Loaded, toast, useForm } from '../elements';
import { typedOrNull } from '../format';
import { useResource } from '../resource';
import { t } from '../texts';

const NAMES = ['welcome', 'after_login', 'help'] as const;
const LANGUAGES = ['en', 'ru'] as const;
const FIELDS = LANGUAGES.flatMap((language) => [
  ...NAMES.map((name) => `${name}.${language}`),
  `welcome_${language}`,
]);

/** The texts of the bot that the project may word itself. */
export function BotTextsForm({ project }: { project: ProjectView }) {
  const texts = useResource(api.projectTexts, 'texts');
  return (
    <section class="panel settings" aria-labelledby="bot-texts-title">
      <h2 id="bot-texts-title">{t.results.botTexts}</h2>
      <p class="hint">{t.results.botTextsLead}</p>
      <Loaded resource={texts}>{(stored) => <Texts stored={stored} project={project} />}</Loaded>
    </section>
  );
}

function Texts({ stored, project }: { stored: ProjectTexts; project: ProjectView }) {
  const [draft, setDraft] = useState(stored);
  const [welcome, setWelcome] = useState({ en: project.welcome_en ?? '', ru: project.welcome_ru ?? '' });
  const form = useForm(FIELDS, async () => {
    const given = (name: (typeof NAMES)[number]) => ({
      en: typedOrNull(draft[name].en ?? ''),
      ru: typedOrNull(draft[name].ru ?? ''),
    });
    setDraft(
      await api.changeProjectTexts({
        welcome: given('welcome'),
        after_login: given('after_login'),
        help: given('help'),
      }),
    );
    await api.changeProject({ welcome_en: typedOrNull(welcome.en), welcome_ru: typedOrNull(welcome.ru) });
    toast(t.saved);
  });
  const replaced = (name: (typeof NAMES)[number], hint?: string) => (
    <InBothLanguages
      title={t.results.botTextNames[name]}
      {...(hint !== undefined && { hint })}
      maxLength={limits.projectTextLength}
      problemOf={(language) => form.problemOf(`${name}.${language}`)}
      value={draft[name]}
      onInput={(language, text) => setDraft({ ...draft, [name]: { ...draft[name], [language]: text } })}
    />
  );
  return (
    <form {...form.attributes}>
      {replaced('welcome', t.results.botTextHint)}
      {replaced('after_login', t.results.botTextHint)}
      <InBothLanguages
        title={t.welcome}
        hint={t.welcomeHint(limits.welcomeLength)}
        maxLength={limits.welcomeLength}
        problemOf={(language) => form.problemOf(`welcome_${language}`)}
        value={welcome}
        onInput={(language, text) => setWelcome({ ...welcome, [language]: text })}
      />
      {replaced('help')}
      <FormButtons form={form} submit={t.results.saveBotTexts} />
    </form>
  );
}

type Language = (typeof LANGUAGES)[number];

function InBothLanguages(props: {
  title: string;
  hint?: string;
  maxLength: number;
  problemOf: (language: Language) => string | null;
  value: Record<Language, string | null>;
  onInput: (language: Language, text: string) => void;
}) {
  return (
    <fieldset class="bot-text">
      <legend>{props.title}</legend>
      {LANGUAGES.map((language) => (
        <Field key={language} label={t.results.languages[language]} error={props.problemOf(language)}>
          {(attributes) => (
            <textarea
              {...attributes}
              class="prose"
              rows={3}
              lang={language}
              maxLength={props.maxLength}
              value={props.value[language] ?? ''}
              onInput={(event) => props.onInput(language, event.currentTarget.value)}
            />
          )}
        </Field>
      ))}
      {props.hint && <p class="hint">{props.hint}</p>}
    </fieldset>
  );
}
