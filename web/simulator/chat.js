import { createMessageList } from './messages.js';
import { speak, t } from './texts.js';

const channel = location.pathname.replace(/\//g, '');
const control = `/control/${channel}`;
const byId = (id) => document.getElementById(id);
const address = new URL(location.href);
/** A project's own bot; the shared one without it. */
const bot = address.searchParams.get('bot');
const ofBot = bot === null ? '' : `?bot=${encodeURIComponent(bot)}`;

/** The visitor's profile, kept for the next visit; `?user=` in the URL overrides it. */
const me = {
  user: 'demo',
  first_name: 'Demo',
  username: '',
  language_code: navigator.language.startsWith('ru') ? 'ru' : 'en',
  ...remembered(),
};
const given = address.searchParams.get('user');
if (given && given !== me.user) Object.assign(me, { user: given, first_name: given, username: '' });

let start = address.searchParams.get('start');
let state = { messages: [], toasts: [], started: false, blocked: false };
let toastsSeen = null;
let events = null;

const list = createMessageList(byId('messages'), (messageId, index) =>
  act('tap', { message_id: messageId, button: index }),
);

function remembered() {
  try {
    return JSON.parse(localStorage.getItem('simulator-user') ?? '{}');
  } catch {
    return {};
  }
}

function remember() {
  try {
    localStorage.setItem('simulator-user', JSON.stringify(me));
  } catch {
    // Without storage the profile is not kept.
  }
}

async function act(action, body) {
  try {
    const response = await fetch(`${control}/users/${encodeURIComponent(me.user)}/${action}${ofBot}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...profile() }),
    });
    if (response.ok) return true;
    const { error } = await response.json();
    toast(t('failed', { error }));
  } catch (error) {
    toast(t('failed', { error: error.message }));
  }
  return false;
}

/** Sent with every action, so that a new name or language applies from the next tap. */
function profile() {
  return {
    first_name: me.first_name || me.user,
    username: me.username || null,
    language_code: me.language_code,
  };
}

function toast(text) {
  const element = document.createElement('p');
  element.className = 'toast';
  element.textContent = text;
  byId('toasts').append(element);
  setTimeout(() => element.remove(), 4000);
}

function announce({ text, alert }) {
  if (!alert) return toast(text);
  byId('alert-text').textContent = text;
  if (!byId('alert').open) byId('alert').showModal();
}

function show(next) {
  state = next;
  if (list.show(state.messages)) byId('scroll').scrollTop = byId('scroll').scrollHeight;
  // Show only toasts that are new since the page was opened.
  const isNew = toastsSeen === null ? [] : state.toasts.filter(({ n }) => n > toastsSeen);
  toastsSeen = state.toasts.at(-1)?.n ?? 0;
  isNew.forEach(announce);
  const startable = !state.blocked && (Boolean(start) || !state.started);
  byId('empty').hidden = state.messages.length > 0;
  byId('start').hidden = !startable && !state.blocked;
  byId('start').textContent = state.blocked && !start ? t('unblock') : t('start');
  byId('composer').hidden = startable || state.blocked;
  byId('block').hidden = state.blocked || !state.started;
  byId('block').textContent = t('block');
  byId('bot-state').textContent = state.blocked ? t('blocked') : t('you', { user: me.user });
}

function watch() {
  events?.close();
  toastsSeen = null;
  list.clear();
  events = new EventSource(`${control}/users/${encodeURIComponent(me.user)}/events${ofBot}`);
  events.addEventListener('chat', (event) => show(JSON.parse(event.data)));
  events.addEventListener('error', () => {
    byId('bot-state').textContent = t('away');
  });
}

/** The start parameter is used once: a reload must not start the login again. */
function forgetStart() {
  start = null;
  address.searchParams.delete('start');
  history.replaceState(null, '', address);
  show(state);
}

async function open() {
  const done = state.blocked && !start ? await act('unblock', {}) : await act('open', start ? { start } : {});
  if (!done) return;
  forgetStart();
  byId('scroll').focus();
}
byId('start').addEventListener('click', open);

byId('block').addEventListener('click', () => act('block', {}));

byId('composer').addEventListener('submit', async (event) => {
  event.preventDefault();
  const input = byId('text');
  const text = input.value.trim();
  if (text !== '' && (await act('say', { text }))) input.value = '';
});

byId('settings-toggle').addEventListener('click', () => {
  const settings = byId('settings');
  settings.hidden = !settings.hidden;
  byId('settings-toggle').setAttribute('aria-expanded', String(!settings.hidden));
  if (!settings.hidden) settings.elements.user.focus();
});

byId('settings').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  for (const key of Object.keys(me))
    me[key] = String(form.get(key) ?? '').trim() || (key === 'user' ? 'demo' : '');
  remember();
  byId('settings').hidden = true;
  byId('settings-toggle').setAttribute('aria-expanded', 'false');
  address.searchParams.set('user', me.user);
  history.replaceState(null, '', address);
  speak(me.language_code);
  watch();
});

function fillSettings() {
  const { elements } = byId('settings');
  for (const key of Object.keys(me)) elements[key].value = me[key];
}

async function nameBot() {
  const response = await fetch(control + ofBot);
  const { username } = (await response.json()).bot;
  byId('bot-name').textContent = `@${username}`;
  document.title = `@${username} · ${channel === 'max' ? 'MAX' : 'Telegram'}`;
}

document.documentElement.dataset.channel = channel;
speak(me.language_code);
fillSettings();
watch();
// The sign-in of the demo's owner, where a person of the simulator has nothing to decide before the question.
if (start && address.searchParams.has('at_once')) void open();
await nameBot();
