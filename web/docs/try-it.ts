import { pageLanguage } from './page-language';

/** What the page knows of an operation; written by src/site/docs/reference.ts. */
interface TryRequest {
  method: string;
  path: string;
  needsKey: boolean;
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean }[];
  body?: string;
  /** Of the body; JSON by default. */
  type?: string;
  /** The body is a file of one of these types. */
  files?: string[];
}

const KEY = 'herald-docs-key';

const texts = {
  en: {
    tryIt: 'Try it',
    body: 'Body',
    file: 'File',
    send: 'Send request',
    changes: 'This request changes data of your project.',
    request: 'request',
    notShown: 'not shown',
    response: 'Response',
    failed: 'The request could not be sent. Check your connection and try again.',
    key: 'API key',
    optional: 'optional',
  },
  ru: {
    tryIt: 'Попробовать',
    body: 'Тело',
    file: 'Файл',
    send: 'Отправить запрос',
    changes: 'Этот запрос изменит данные вашего проекта.',
    request: 'запрос',
    notShown: 'не показано',
    response: 'Ответ',
    failed: 'Не удалось отправить запрос. Проверьте соединение и попробуйте ещё раз.',
    key: 'Ключ API',
    optional: 'необязательно',
  },
};
const words = () => texts[pageLanguage()];

/** "Try it": sends the request of the page to this service, with the reader's own key. */
export function setUpTryIt(): void {
  for (const place of document.querySelectorAll<HTMLElement>('.try')) {
    const request = JSON.parse(place.dataset['request'] ?? '{}') as TryRequest;
    const details = element('details');
    details.append(element('summary', words().tryIt));
    // The form is built when it is first opened: most are never used.
    details.addEventListener(
      'toggle',
      () => details.childElementCount === 1 && details.append(form(request)),
      {
        once: true,
      },
    );
    place.append(details);
  }
}

function form(request: TryRequest): HTMLFormElement {
  const result = element('div');
  result.setAttribute('role', 'status');
  const key = request.needsKey ? keyField() : null;
  const values = request.parameters.map((parameter) => ({
    parameter,
    field: field(parameter.name, element('input'), parameter.required),
  }));
  const body = request.body === undefined ? null : field(words().body, element('textarea'), true);
  if (body) {
    body.input.value = request.body ?? '';
    (body.input as HTMLTextAreaElement).rows = Math.min(12, body.input.value.split('\n').length + 1);
  }
  const file = request.files ? field(words().file, element('input'), true) : null;
  if (file) {
    file.input.type = 'file';
    file.input.accept = request.files?.join(',') ?? '';
  }
  const send = element('button', words().send);
  send.className = 'btn primary';
  const note = element('p', request.method === 'GET' ? '' : words().changes);
  note.className = 'facts';
  const created = element('form');
  created.append(
    ...(key ? [key.label] : []),
    ...values.map(({ field }) => field.label),
    ...(body ? [body.label] : []),
    ...(file ? [file.label] : []),
    ...(note.textContent ? [note] : []),
    send,
    result,
  );
  created.addEventListener('submit', (event) => {
    event.preventDefault();
    if (key) remember(key.input.value);
    const read = (place: string) =>
      values
        .filter(({ parameter, field }) => parameter.in === place && field.input.value !== '')
        .map(({ parameter, field }): [string, string] => [parameter.name, field.input.value]);
    const query = new URLSearchParams(read('query')).toString();
    const path = read('path').reduce(
      (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
      request.path,
    );
    const headers = new Headers(read('header'));
    if (key) headers.set('Authorization', `Bearer ${key.input.value.trim()}`);
    if (body) headers.set('Content-Type', request.type ?? 'application/json');
    send.disabled = true;
    void call(query ? `${path}?${query}` : path, {
      method: request.method,
      headers,
      ...(body ? { body: body.input.value } : {}),
      // The browser names its type.
      ...(file ? { body: file.input.files?.[0] ?? null } : {}),
    })
      .then((shown) => result.replaceChildren(...shown))
      .finally(() => (send.disabled = false));
  });
  return created;
}

/** The answer as elements. The dashboard's cookie is not sent: only the key counts. */
async function call(url: string, options: RequestInit): Promise<HTMLElement[]> {
  const started = performance.now();
  try {
    const response = await fetch(url, { ...options, credentials: 'omit', cache: 'no-store' });
    const type = response.headers.get('content-type') ?? '';
    const isText = /json|text|svg/.test(type);
    const text = isText ? await response.text() : '';
    const badge = element('span', `${response.status} ${response.statusText}`.trim());
    badge.className = `badge ${response.ok ? 'good' : 'bad'}`;
    const facts = element('p');
    facts.append(badge, ` ${Math.round(performance.now() - started)} ms`);
    const requestId = response.headers.get('x-request-id');
    if (requestId) facts.append(` · ${words().request} ${requestId}`);
    const shown = text === '' ? (type === '' ? '' : `${type} (${words().notShown})`) : pretty(text);
    if (shown === '') return [facts];
    const block = element('pre', shown);
    block.tabIndex = 0;
    block.setAttribute('aria-label', words().response);
    return [facts, block];
  } catch {
    const failed = element('p', words().failed);
    failed.className = 'notice bad';
    return [failed];
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The key stays in this tab: it is gone when the tab is closed. */
function keyField() {
  const made = field(words().key, element('input'), true);
  made.input.setAttribute('type', 'password');
  made.input.setAttribute('autocomplete', 'off');
  made.input.value = stored();
  return made;
}

function stored(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

function remember(key: string): void {
  try {
    sessionStorage.setItem(KEY, key);
  } catch {
    // Storage is blocked: the key is in the field only.
  }
}

function field<E extends HTMLInputElement | HTMLTextAreaElement>(name: string, input: E, required: boolean) {
  const label = element('label');
  const text = element('span', name);
  if (!required) text.append(` (${words().optional})`);
  input.required = required;
  input.spellcheck = false;
  input.autocomplete = 'off';
  label.append(text, input);
  return { label, input };
}

function element<K extends keyof HTMLElementTagNameMap>(name: K, text = ''): HTMLElementTagNameMap[K] {
  const created = document.createElement(name);
  created.textContent = text;
  return created;
}
