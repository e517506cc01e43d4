import type { Language } from '../contract/common';
import type { Project } from '../projects/contract';

/** Appends the project's welcome text for a new subscriber, if it has one. */
export function withWelcome(text: string, project: Project, lang: Language): string {
  const welcome = lang === 'ru' ? project.welcome_ru : project.welcome_en;
  return welcome === null ? text : `${text}\n\n${welcome}`;
}
