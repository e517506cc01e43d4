import { errorCodes, errorTable } from '../../contract/errors';
import { eventTypes } from '../../events/contract';
import type { Guide } from './guides';
import { limitGroups } from './limits-page';
import type { ListedOperation } from './reference';

/** One search result. */
export interface SearchEntry {
  title: string;
  /** Kind of page. */
  kind: string;
  url: string;
  text: string;
}

/** Built once, from the same data as the pages. */
export function searchIndex(guides: Guide[], operations: ListedOperation[]): SearchEntry[] {
  return [
    ...guides.flatMap(guideEntries),
    ...operations.map(({ method, path, summary, description = '', operationId }) => ({
      title: `${method} ${path}`,
      kind: 'API',
      url: `/docs/reference#${operationId}`,
      text: `${summary}. ${description}`,
    })),
    ...errorCodes.map((code) => ({
      title: code,
      kind: 'Error',
      url: `/docs/errors#${code}`,
      text: `${errorTable[code].text} ${errorTable[code].help}`,
    })),
    ...eventTypes.map(({ name, description }) => ({
      title: name,
      kind: 'Event',
      url: `/docs/events#${name}`,
      text: description,
    })),
    ...limitGroups.flatMap(([group, lines]) =>
      lines.map(([name, value]) => ({
        title: name,
        kind: 'Limit',
        url: `/docs/limits#${group.toLowerCase().replaceAll(' ', '-')}`,
        text: value,
      })),
    ),
  ];
}

function guideEntries({ slug, title, intro, sections }: Guide): SearchEntry[] {
  const url = slug === 'start' ? '/docs' : `/docs/${slug}`;
  return [
    { title, kind: 'Guide', url, text: intro },
    ...sections.map((section) => ({
      title: section.title,
      kind: title,
      url: `${url}#${section.id}`,
      text: section.text,
    })),
  ];
}
