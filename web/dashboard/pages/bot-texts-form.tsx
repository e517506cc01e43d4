import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type ProjectTexts } from '../api';
import { Field, FormButtons, Loaded, toast, useForm } from '../elements';
import { typedOrNull } from '../format';
import { useResource } from '../resource';
import { t } from '../texts';

const NAMES = ['welcome', 'after_login', 'help'] as const;
const LANGUAGES = ['en', 'ru'] as const;
const FIELDS = NAMES.flatMap((name) => LANGUAGES.map((language) => `${name}.${language}`));

/** The texts of the bot that the project may word itself. */
export function BotTextsForm() {
  const texts = useResource(api.projectTexts, 'texts');
  return (
    <section class="panel settings" aria-labelledby="bot-texts-title">
      <h2 id="bot-texts-title">{t.results.botTexts}</h2>
      <p class="hint">{t.results.botTextsLead}</p>
      <Loaded resource={texts}>{(stored) => <Texts stored={stored} />}</Loaded>
    </section>
  );
}

function Texts({ stored }: { stored: ProjectTexts }) {
  const [draft, setDraft] = useState(stored);
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
    toast(t.saved);
  });
  return (
    <form {...form.attributes}>
      {NAMES.map((name) => (
        <fieldset key={name} class="bot-text">
          <legend>{t.results.botTextNames[name]}</legend>
          {LANGUAGES.map((language) => (
            <Field
              key={language}
              label={t.results.languages[language]}
              error={form.problemOf(`${name}.${language}`)}
            >
              {(attributes) => (
                <textarea
                  {...attributes}
                  rows={3}
                  lang={language}
                  maxLength={limits.projectTextLength}
                  value={draft[name][language] ?? ''}
                  onInput={(event) =>
                    setDraft({
                      ...draft,
                      [name]: { ...draft[name], [language]: event.currentTarget.value },
                    })
                  }
                />
              )}
            </Field>
          ))}
        </fieldset>
      ))}
      <p class="hint">{t.results.botTextHint}</p>
      <FormButtons form={form} submit={t.results.saveBotTexts} />
    </form>
  );
}
