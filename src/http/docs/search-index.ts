import { errorCodes, errorTable } from '../../contract/errors';
import { eventTypes } from '../../events/contract';
import { guidePath, type Guide } from './guides';
import { limitAnchor, limitGroups } from './limits-page';
import type { Operation } from './operations';
import { operationUrl } from './reference';

/** One search result. */
export interface SearchEntry {
  title: string;
  /** Kind of page. */
  kind: string;
  url: string;
  text: string;
}

/** Built once, from the same data as the pages. */
export function searchIndex(guides: Guide[], operations: Operation[]): SearchEntry[] {
  return [
    ...guides.flatMap(guideEntries),
    ...operations.map((operation) => ({
      title: `${operation.method} ${operation.path}`,
      kind: 'API',
      url: operationUrl(operation),
      text: `${operation.summary}. ${operation.description}`.trim(),
    })),
    ...errorCodes.map((code) => ({
      title: code,
      kind: `Error ${errorTable[code].status}`,
      url: `/docs/errors#${code}`,
      text: `${errorTable[code].text} ${errorTable[code].help}`,
    })),
    ...eventTypes().map(({ name, description }) => ({
      title: name,
      kind: 'Event',
      url: `/docs/events#${name}`,
      text: description,
    })),
    {
      title: 'Signature debugger',
      kind: 'Tool',
      url: '/docs/signature',
      text: 'Find out why the signature of a webhook does not match: wrong secret, changed body, old timestamp.',
    },
    ...limitGroups.flatMap(([group, lines]) =>
      lines.map(([name, value]) => ({
        title: name,
        kind: 'Limit',
        url: `/docs/limits#${limitAnchor(group)}`,
        text: value,
      })),
    ),
  ];
}

function guideEntries(guide: Guide): SearchEntry[] {
  const url = guidePath(guide);
  return [
    { title: guide.title, kind: guide.language === 'ru' ? 'По-русски' : 'Guide', url, text: guide.intro },
    ...guide.sections.map((section) => ({
      title: section.title,
      kind: guide.title,
      url: `${url}#${section.id}`,
      text: section.text,
    })),
  ];
}
