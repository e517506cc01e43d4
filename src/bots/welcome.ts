import type { Language } from '../contract/common';
import type { Project } from '../projects/contract';

/** What the bot says, and below it what the project wants to say to whoever has just come. */
export function withWelcome(text: string, project: Project, lang: Language): string {
  const welcome = lang === 'ru' ? project.welcome_ru : project.welcome_en;
  return welcome === null ? text : `${text}\n\n${welcome}`;
}
