import { api } from '../api';
import { useResource } from '../resource';
import type { TemplateNames } from './placeholder-name';

const none: TemplateNames = new Map();

/** The names of all templates, in one request for a whole list; without one where no message is a template. */
export function useTemplateNames(contents: { template?: string | null | undefined }[]): TemplateNames {
  const isNeeded = contents.some(({ template }) => typeof template === 'string');
  const found = useResource(
    async () => (isNeeded ? (await api.allTemplates()).data : []),
    isNeeded ? 'template-names' : '',
  );
  return found.data ? new Map(found.data.map(({ key, name }) => [key, name])) : none;
}
