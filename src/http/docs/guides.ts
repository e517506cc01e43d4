import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../lib/package-root';
import { Html } from '../html';

/** A guide, built from Markdown by web/docs/guides.mjs. */
export interface Guide {
  slug: string;
  title: string;
  html: string;
  intro: string;
  sections: { id: string; title: string; text: string }[];
}

export async function readGuides(): Promise<Guide[]> {
  const file = path.join(packageRoot, 'dist', 'web', 'guides.json');
  return JSON.parse(await readFile(file, 'utf8')) as Guide[];
}

/** The guide's HTML, with the URL of this installation in its examples. */
export function guideHtml(guide: Guide, baseUrl: string): Html {
  return new Html(guide.html.replaceAll('{{base_url}}', baseUrl));
}
