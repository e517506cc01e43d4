import type { Language } from '../../base/contract/common';
import { errorCodes, errorTable } from '../../base/contract/errors';
import { eventTypes } from '../../domains/events/contract';
import { guidePath, localPath } from './contents';
import { errorText } from './error-texts';
import { eventText } from './event-texts';
import type { Guide } from './guides';
import type { Operation } from './operations';
import { noteOf, operationUrl, summaryOf } from './reference';
import type { Json } from './samples/request';
import { fieldLines } from './schema-fields';
import { signatureWords } from './signature-page';

/** One search result. */
export interface SearchEntry {
  title: string;
  /** Kind of page. */
  kind: string;
  url: string;
  text: string;
  /** Names that find the entry and are not shown: parameters, headers and fields, separated by spaces. */
  names?: string;
}

interface Kinds {
  guide: string;
  error: string;
  event: string;
  tool: string;
}

const kinds: Record<Language, Kinds> = {
  en: { guide: 'Guide', error: 'Error', event: 'Event', tool: 'Tool' },
  ru: { guide: 'Руководство', error: 'Ошибка', event: 'Событие', tool: 'Инструмент' },
};

/** Built once for each language, from the same data as the pages. */
export function searchIndex(guides: Guide[], operations: Operation[], language: Language): SearchEntry[] {
  const words = kinds[language];
  const local = (path: string) => localPath(path, language);
  return [
    ...guides
      .filter((guide) => guide.language === language)
      .flatMap((guide) => guideEntries(guide, words.guide)),
    ...operations.map((operation) => ({
      title: `${operation.method} ${operation.path}`,
      kind: 'API',
      url: operationUrl(operation, language),
      text: `${summaryOf(operation, language)}. ${noteOf(operation, language)}`.trim(),
      names: operationNames(operation),
    })),
    ...errorCodes.map((code) => ({
      title: code,
      kind: `${words.error} ${errorTable[code].status}`,
      url: local(`/docs/errors#${code}`),
      text: Object.values(errorText(code, language)).join(' '),
    })),
    ...eventTypes().map(({ name, schema }) => ({
      title: name,
      kind: words.event,
      url: local(`/docs/events#${name}`),
      text: eventText(name, language),
      names: namesOf(schema),
    })),
    {
      title: signatureWords[language].title,
      kind: words.tool,
      url: local('/docs/signature'),
      text: signatureWords[language].summary,
    },
  ];
}

/** The names of everything that a request and its response can contain. */
function operationNames({ parameters, body, response }: Operation): string {
  const names = parameters.map(({ name }) => name);
  return [...new Set([...names, ...namesOf(body).split(' '), ...namesOf(response).split(' ')])]
    .filter(Boolean)
    .join(' ');
}

function namesOf(schema: Json | undefined): string {
  if (!schema) return '';
  const fields = fieldLines(schema).filter(({ type }) => type !== '');
  return [...new Set(fields.flatMap(({ name }) => name.split(/[.[\]]+/)))].filter(Boolean).join(' ');
}

function guideEntries(guide: Guide, kind: string): SearchEntry[] {
  const url = guidePath(guide);
  return [
    { title: guide.title, kind, url, text: guide.intro },
    ...guide.sections.flatMap(({ id, title, text, facts }) =>
      [...(facts.length === 0 || text !== '' ? [{ name: title, text }] : []), ...facts].map((found) => ({
        title: found.name,
        kind: guide.title,
        url: `${url}#${id}`,
        text: found.text,
      })),
    ),
  ];
}
