import type { MiniProject } from '../../src/domains/subscribers/contract';
import './mini.css';
import { texts } from './texts';

/** The data that a messenger signs for its Mini App, in the fragment of the address. */
interface Launch {
  channel: string;
  initData: string;
  start: string;
  language: 'en' | 'ru';
}

const page = document.querySelector<HTMLElement>('#mini')!;
const message = document.querySelector<HTMLElement>('#message')!;
const launch = readLaunch();
const t = texts[launch?.language ?? 'en'];
document.documentElement.lang = launch?.language ?? 'en';

if (launch) void show(launch);
else say(t.openInMessenger);

function readLaunch(): Launch | null {
  const fields = new URLSearchParams(location.hash.slice(1));
  const known = JSON.parse(page.dataset['launch'] ?? '[]') as [field: string, channel: string][];
  const [field, channel] = known.find(([name]) => fields.get(name)) ?? [];
  const initData = fields.get(field ?? '');
  if (channel === undefined || initData === null) return null;
  const signed = new URLSearchParams(initData);
  return {
    channel,
    initData,
    start: signed.get('start_param') ?? '',
    language: /"language_code":"ru/.test(signed.get('user') ?? '') ? 'ru' : 'en',
  };
}

async function show({ start, language, ...opened }: Launch): Promise<void> {
  const response = await fetch(`/mini/project?start=${encodeURIComponent(start)}`).catch(() => null);
  if (!response) return say(t.failed);
  if (!response.ok) return say(t.unknownLink);
  const project = (await response.json()) as MiniProject;
  document.title = project.name;
  const form = document.createElement('form');
  const heading = document.createElement('h1');
  heading.textContent = t.heading(project.name);
  form.append(heading, ...project.permissions.map((permission) => choice(permission, language)));
  const button = document.createElement('button');
  button.className = 'btn primary';
  button.textContent = t.subscribe;
  form.append(button);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    void subscribe(form, opened, project.permissions.length > 0).then((done) => {
      button.disabled = false;
      if (done) form.remove();
    });
  });
  message.before(form);
}

function choice(
  { name, title_en, title_ru, default: isDefault }: MiniProject['permissions'][number],
  language: Launch['language'],
): HTMLElement {
  const label = document.createElement('label');
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.name = 'permissions';
  box.value = name;
  box.checked = isDefault;
  const title = language === 'ru' ? (title_ru ?? title_en) : (title_en ?? title_ru);
  label.append(box, document.createTextNode(` ${title ?? name}`));
  return label;
}

/** Returns whether the user is subscribed now. */
async function subscribe(
  form: HTMLFormElement,
  { channel, initData }: Pick<Launch, 'channel' | 'initData'>,
  hasChoices: boolean,
): Promise<boolean> {
  const permissions = new FormData(form).getAll('permissions');
  const response = await fetch('/mini/subscribe', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channel, init_data: initData, ...(hasChoices ? { permissions } : {}) }),
  }).catch(() => null);
  if (!response) {
    say(t.failed);
    return false;
  }
  const { code } = (await response.json()) as { code?: string };
  say(response.ok ? t.subscribed : (t.errors[code ?? ''] ?? t.failed));
  return response.ok || code === 'already_subscribed';
}

function say(text: string): void {
  message.textContent = text;
}
