import { t } from './texts.js';

const TAGS = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'code',
  heading: 'strong',
  highlighted: 'mark',
};

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function isWebAddress(url) {
  return /^(https?|tg):/i.test(url);
}

/** The formatted text. Entities are sorted by offset, with inner ones after outer ones. */
function formatted(text, entities, from = 0, to = text.length) {
  const fragment = document.createDocumentFragment();
  let at = from;
  let rest = entities;
  while (rest.length > 0) {
    const [entity, ...others] = rest;
    const end = entity.offset + entity.length;
    rest = others;
    if (entity.offset < at || end > to) continue;
    fragment.append(text.slice(at, entity.offset));
    const link = entity.type === 'text_link' && isWebAddress(entity.url ?? '');
    const element = make(link ? 'a' : (TAGS[entity.type] ?? 'span'));
    if (link) openInNewTab(element, entity.url);
    const inner = others.filter((each) => each.offset >= entity.offset && each.offset + each.length <= end);
    element.append(formatted(text, inner, entity.offset, end));
    fragment.append(element);
    rest = others.filter((each) => !inner.includes(each));
    at = end;
  }
  fragment.append(text.slice(at, to));
  return fragment;
}

function openInNewTab(link, url) {
  link.href = url;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
}

function button({ text, url }, index, onTap) {
  if (url === undefined) {
    const tappable = make('button', 'inline-button', text);
    tappable.type = 'button';
    tappable.addEventListener('click', () => onTap(index));
    return tappable;
  }
  const link = make('a', 'inline-button', text);
  if (isWebAddress(url)) openInNewTab(link, url);
  link.append(make('span', 'visually-hidden', ` ${t('newTab')}`));
  const arrow = make('span', 'arrow', '↗');
  arrow.setAttribute('aria-hidden', 'true');
  link.append(arrow);
  return link;
}

function render(message, onTap) {
  const item = make('li', `message from-${message.from}`);
  const bubble = make('div', 'bubble');
  bubble.append(make('span', 'visually-hidden', `${t(message.from === 'bot' ? 'fromBot' : 'fromUser')}: `));
  if (message.media) {
    const media = make('a', 'media', t(message.media.type));
    if (isWebAddress(message.media.url)) openInNewTab(media, message.media.url);
    bubble.append(media);
  }
  const text = make('div', 'text');
  text.dir = 'auto';
  text.append(formatted(message.text, message.entities ?? []));
  bubble.append(text);
  if (message.edited) bubble.append(make('span', 'edited', t('edited')));
  item.append(bubble);
  let index = 0;
  for (const row of message.buttons) {
    const line = make('div', 'inline-row');
    for (const each of row) line.append(button(each, index++, onTap));
    item.append(line);
  }
  return item;
}

/** Updates only the messages that changed, so that focus and screen readers are not disturbed. */
export function createMessageList(list, onTap) {
  const shown = new Map();
  return {
    clear() {
      shown.clear();
      list.replaceChildren();
    },
    show(messages) {
      let grown = false;
      const present = new Set(messages.map((message) => message.message_id));
      for (const [id, { element }] of shown) {
        if (present.has(id)) continue;
        element.remove();
        shown.delete(id);
      }
      for (const message of messages) {
        const signature = JSON.stringify(message);
        const known = shown.get(message.message_id);
        if (known?.signature === signature) continue;
        const element = render(message, (index) => onTap(message.message_id, index));
        if (known) {
          const hadFocus = known.element.contains(document.activeElement);
          known.element.replaceWith(element);
          if (hadFocus) list.closest('[tabindex]').focus();
        } else {
          list.append(element);
          grown = true;
        }
        shown.set(message.message_id, { element, signature });
      }
      return grown;
    },
  };
}
