import { curlSample } from './curl';
import { goSample } from './go';
import { phpSample } from './php';
import { pythonSample } from './python';
import type { SampleRequest } from './request';
import { typescriptSample } from './typescript';

export type { SampleRequest } from './request';

/** The languages of the samples, in the order of the tabs; `grammar` is the name that the highlighter knows. */
export const languages = [
  { id: 'curl', title: 'curl', grammar: 'bash', write: curlSample },
  { id: 'typescript', title: 'TypeScript', grammar: 'typescript', write: typescriptSample },
  { id: 'python', title: 'Python', grammar: 'python', write: pythonSample },
  { id: 'go', title: 'Go', grammar: 'go', write: goSample },
  { id: 'php', title: 'PHP', grammar: 'php', write: phpSample },
] as const satisfies {
  id: string;
  title: string;
  grammar: string;
  write: (request: SampleRequest) => string;
}[];

export type LanguageId = (typeof languages)[number]['id'];
