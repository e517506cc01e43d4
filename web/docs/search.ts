import type { SearchEntry } from '../../src/site/docs/search-index';
import { find } from './find';

/** Searches the documentation in the browser: the index is one small file. */
const SHOWN = 10;

interface Parts {
  box: HTMLElement;
  input: HTMLInputElement;
  results: HTMLElement;
  list: HTMLElement;
  none: HTMLElement;
  status: HTMLElement;
}

export function setUpSearch(): void {
  const box = document.querySelector<HTMLElement>('#search');
  const input = document.querySelector<HTMLInputElement>('#query');
  const results = document.querySelector<HTMLElement>('#results');
  const list = results?.querySelector('ul');
  const none = document.querySelector<HTMLElement>('#search-none');
  const status = document.querySelector<HTMLElement>('#search-status');
  if (box && input && results && list && none && status) start({ box, input, results, list, none, status });
}

function start(parts: Parts): void {
  const { box, input, results, list } = parts;
  box.hidden = false;
  let index: Promise<SearchEntry[]> | undefined;
  const load = () =>
    (index ??= fetch(input.dataset['index'] ?? '/docs/search.json').then(
      (response) => response.json() as Promise<SearchEntry[]>,
    ));
  input.addEventListener('focus', () => void load());
  input.addEventListener('input', () => {
    const query = input.value;
    void load().then((entries) => {
      if (input.value === query) show(find(entries, query, SHOWN), query.trim(), parts);
    });
  });
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return close(parts);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const stops = [input, ...list.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement as HTMLAnchorElement);
    stops.at((at + step) % stops.length)?.focus();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click();
  });
  list.addEventListener('click', () => close(parts));
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target as Node)) results.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    const isTyping =
      target instanceof HTMLTextAreaElement ||
      (target instanceof HTMLInputElement && target.type !== 'radio');
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    input.focus();
  });
}

function close({ input, results }: Parts): void {
  results.hidden = true;
  input.value = '';
  input.focus();
}

function show(found: SearchEntry[], query: string, { input, results, list, none, status }: Parts): void {
  list.replaceChildren(...found.map(item));
  results.hidden = query === '';
  const isEmpty = query !== '' && found.length === 0;
  const nothing = (input.dataset['none'] ?? '').replace('{query}', query);
  none.hidden = !isEmpty;
  none.textContent = isEmpty ? nothing : '';
  list.hidden = isEmpty;
  const count = (input.dataset['count'] ?? '').replace('{count}', String(found.length));
  status.textContent = query === '' ? '' : isEmpty ? nothing : count;
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
