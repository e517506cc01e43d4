import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    pages: { type: 'string' },
    sets: { type: 'string' },
    widths: { type: 'string' },
    themes: { type: 'string' },
    languages: { type: 'string' },
  },
});

function chosen<T extends string>(option: keyof typeof values, all: readonly T[]): T[] {
  const given = values[option]?.split(',');
  const wrong = given?.find((each) => !(all as readonly string[]).includes(each));
  if (wrong !== undefined) throw new Error(`--${option} ${wrong}: one of ${all.join(', ')}`);
  return (given ?? all) as T[];
}

const names = values.pages?.split(',');

/** Which of the pictures are taken. All of them by default. */
export const options = {
  isWhole: Object.keys(values).length === 0,
  /** A page whose name has one of the given parts. */
  takes: (name: string) => names?.some((part) => name.includes(part)) ?? true,
  /** Pages without a sign-in; those of a shop, of a new project, of one with long lists and names; as a viewer and a supporter see them; what opens over them. */
  sets: chosen('sets', ['public', 'full', 'empty', 'crowded', 'viewer', 'support', 'dialogs']),
  widths: chosen('widths', ['1440', '1280', '820', '390']).map(Number),
  themes: chosen('themes', ['light', 'dark']),
  languages: chosen('languages', ['en', 'ru']),
};
