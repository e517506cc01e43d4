import type { Language } from '../../base/contract/common';
import type { Core } from '../../base/core';
import { projectText, type Reader } from './project-text';
import { botTexts } from './texts';

type Deps = Pick<Core, 'pool' | 'config'>;

/** The fields of a project that the bot's texts use. */
interface Project {
  id: string;
  name: string;
  welcome_en: string | null;
  welcome_ru: string | null;
  /** Herald's own project. */
  system: boolean;
}

/** What the bot says to a new subscriber. How to stop is said in any case. */
export async function greeting(deps: Deps, project: Project, reader: Reader): Promise<string> {
  const texts = botTexts[reader.lang];
  const own = await projectText.get()(deps, 'welcome', project.id, reader);
  const text = own === null ? texts.subscribed(project.name) : `${own}\n\n${texts.howToStop}`;
  return withWelcome(text, project, reader.lang);
}

/** What the bot's question becomes after Yes. */
export async function loginConfirmed(deps: Deps, project: Project, reader: Reader): Promise<string> {
  const texts = botTexts[reader.lang];
  const own = await projectText.get()(deps, 'after_login', project.id, reader);
  const text =
    own === null
      ? texts.confirmed(project.name, { subscribes: !project.system })
      : `${own}\n\n${texts.howToStop}`;
  return withWelcome(text, project, reader.lang);
}

/** Appends the project's welcome text for a new subscriber, if it has one. */
function withWelcome(text: string, project: Project, lang: Language): string {
  const welcome = lang === 'ru' ? project.welcome_ru : project.welcome_en;
  return welcome === null ? text : `${text}\n\n${welcome}`;
}
