import type { FindProjectText, ProjectTextName } from '../bots';
import { AppError } from '../../base/contract/errors';
import { languages } from '../../base/contract/common';
import type { Db } from '../../base/db/pool';
import { findSubscriberOfUser } from '../subscribers';
import { compilePlain } from './compile';
import type { ProjectTextChanges, ProjectTexts } from './contract';
import { findProjectTexts, saveProjectTexts } from './queries';
import { at, namesIn, rendered } from './template';
import { missingNames, valuesFor } from './values';

const names = ['welcome', 'help', 'after_login'] as const satisfies readonly ProjectTextName[];

export async function readProjectTexts(db: Db, projectId: string): Promise<ProjectTexts> {
  const texts = (await findProjectTexts(db, projectId))?.texts ?? {};
  const inLanguages = (name: ProjectTextName) => ({
    en: texts[name]?.en ?? null,
    ru: texts[name]?.ru ?? null,
  });
  return {
    welcome: inLanguages('welcome'),
    help: inLanguages('help'),
    after_login: inLanguages('after_login'),
  };
}

export async function changeProjectTexts(
  db: Db,
  projectId: string,
  changes: ProjectTextChanges,
): Promise<ProjectTexts> {
  for (const name of names) {
    for (const lang of languages) refuseUnknownNames(changes[name]?.[lang] ?? '', `${name}.${lang}`);
  }
  await saveProjectTexts(db, projectId, changes);
  return readProjectTexts(db, projectId);
}

function refuseUnknownNames(text: string, path: string): void {
  const unknown = missingNames({ names: namesIn(at(path, () => compilePlain(text))) }, {});
  if (unknown.length === 0) return;
  throw new AppError('template_variable_missing', `${path}: has no value for ${unknown.join(', ')}`);
}

/** With what the bot adds below it, it still fits into a message. */
const MOST_CHARACTERS = 3_000;

/**
 * The bot's own text stands in for one that is empty or too long with the values of this reader, and while the project is
 * inactive.
 */
export const renderProjectText: FindProjectText = async ({ pool, config }, name, projectId, reader) => {
  const found = await findProjectTexts(pool, projectId);
  const source = found?.texts[name]?.[reader.lang];
  if (!found?.active || !source) return null;
  const subscriber = await findSubscriberOfUser(pool, projectId, reader.channel, reader.platform_user_id);
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const valueOf = valuesFor(subscriber, { vars: {}, project: found.project, format });
  // A user who is not a subscriber yet has what the messenger tells.
  const known: Record<string, string | null | undefined> = {
    first_name: reader.first_name,
    username: reader.username,
    lang: reader.lang,
  };
  const text = rendered(compilePlain(source), (name) => valueOf(name) ?? known[name], MOST_CHARACTERS).trim();
  return text === '' || text.length > MOST_CHARACTERS ? null : text;
};
