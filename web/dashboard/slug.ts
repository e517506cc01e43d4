import { limits } from '../../src/base/contract/limits';

const CYRILLIC = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя';
const LATIN = [
  ...'a b v g d e e zh z i y k l m n o p r s t u f h ts ch sh sch'.split(' '),
  ...['', 'y', '', 'e', 'yu', 'ya'],
];

/** Small Latin letters and digits; a dash stands for everything else. */
export function latinOf(name: string): string {
  const latin = [...name.toLowerCase()].map((char) => LATIN[CYRILLIC.indexOf(char)] ?? char).join('');
  return latin
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-');
}

/** A slug for a project of this name; empty if nothing of the name can be in one. */
export function slugOf(name: string): string {
  const slug = latinOf(name)
    .slice(0, limits.slugLength.max)
    .replaceAll(/^-+|-+$/g, '');
  return slug.length > 0 && slug.length < limits.slugLength.min ? `${slug}-project` : slug;
}
