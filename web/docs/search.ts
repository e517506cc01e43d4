import type { SearchEntry } from '../../src/http/docs/search-index';
import './docs.css';

/** Searches the documentation in the browser: the index is one small file. */
const SHOWN = 10;

const box = document.querySelector<HTMLElement>('#search');
const input = document.querySelector<HTMLInputElement>('#query');
const results = document.querySelector<HTMLElement>('#results');
const status = document.querySelector<HTMLElement>('#search-status');
if (box && input && results && status) setUp(box, input, results, status);

function setUp(box: HTMLElement, input: HTMLInputElement, results: HTMLElement, status: HTMLElement): void {
  box.hidden = false;
  let index: Promise<SearchEntry[]> | undefined;
  const load = () =>
    (index ??= fetch('/docs/search.json').then((response) => response.json() as Promise<SearchEntry[]>));
  input.addEventListener('focus', () => void load());
  input.addEventListener('input', () => {
    const query = input.value;
    void load().then((entries) => {
      if (input.value === query) show(find(entries, query), query, results, status);
    });
  });
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return close(input, results);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const stops = [input, ...results.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement as HTMLAnchorElement);
    stops.at((at + step) % stops.length)?.focus();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') results.querySelector('a')?.click();
  });
  results.addEventListener('click', () => close(input, results));
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target as Node)) results.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
  });
}

function close(input: HTMLInputElement, results: HTMLElement): void {
  results.hidden = true;
  input.value = '';
  input.focus();
}

/** Every word must match; a match in the title scores higher than in the text, and highest at its start. */
function find(entries: SearchEntry[], query: string): SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: score(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN)
    .map(({ entry }) => entry);
}

function score(entry: SearchEntry, words: string[]): number {
  const title = entry.title.toLowerCase();
  const text = entry.text.toLowerCase();
  let total = 0;
  for (const word of words) {
    const found =
      (title === word ? 40 : 0) +
      (title.startsWith(word) ? 10 : title.includes(word) ? 6 : 0) +
      (text.includes(word) ? 1 : 0);
    if (found === 0) return 0;
    total += found;
  }
  return total;
}

function show(found: SearchEntry[], query: string, results: HTMLElement, status: HTMLElement): void {
  results.replaceChildren(...found.map(item));
  results.hidden = found.length === 0;
  const count = `${found.length} ${found.length === 1 ? 'result' : 'results'}`;
  status.textContent = query.trim() === '' ? '' : found.length === 0 ? 'No results' : count;
}

function item(entry: SearchEntry): HTMLElement {
  const link = document.createElement('a');
  link.href = entry.url;
  const title = document.createElement('strong');
  title.textContent = entry.title;
  const kind = document.createElement('span');
  kind.textContent = entry.kind;
  const text = document.createElement('small');
  text.textContent = entry.text.slice(0, 110);
  link.append(title, kind, text);
  const element = document.createElement('li');
  element.append(link);
  return element;
}
