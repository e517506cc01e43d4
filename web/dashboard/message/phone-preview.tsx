import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ChannelName, Icon } from '../elements';
import { useSettled } from '../resource';
import { t } from '../texts';
import { VALUE_BEGIN, VALUE_END } from './placeholders';

export interface ShownButton {
  key: number;
  text: string;
}

/** The message as the messenger shows it. Formatting is an approximation of the platforms' own. */
export function PhonePreview({
  media = '',
  mediaUrl = '',
  buttons = [],
  ...props
}: {
  channel: string;
  text: string;
  format: 'plain' | 'markdown' | 'html';
  media?: '' | 'photo' | 'video' | 'document';
  mediaUrl?: string;
  /** Rows of buttons. */
  buttons?: ShownButton[][];
  /** Opens a button for a change; without it the buttons are only shown. */
  onEdit?: ((key: number) => void) | undefined;
  /** The button that is open. */
  edited?: number | null | undefined;
  /** Below the buttons. */
  children?: ComponentChildren;
}) {
  const { onEdit } = props;
  return (
    <figure class={`phone ${props.channel}`}>
      <figcaption>
        <ChannelName channel={props.channel} />
      </figcaption>
      <div class="chat">
        <div class={media === '' ? 'bubble' : 'bubble with-media'}>
          {media !== '' && <Media type={media} url={mediaUrl} />}
          {props.text.trim() === '' ? <span class="hint">{t.previewEmpty}</span> : formatted(props)}
        </div>
        {buttons.map((row, place) => (
          <div key={place} class="chat-buttons">
            {row.map(({ key, text }) =>
              onEdit ? (
                <button
                  key={key}
                  type="button"
                  class="chat-button"
                  title={t.editButton}
                  aria-expanded={props.edited === key}
                  onClick={() => onEdit(key)}
                >
                  {text}
                </button>
              ) : (
                <div key={key} class="chat-button">
                  {text}
                </div>
              ),
            )}
          </div>
        ))}
        {props.children}
      </div>
    </figure>
  );
}

/** A photo is shown itself once its address is typed; one that cannot be loaded is a mark, as other files are. */
function Media({ type, url }: { type: 'photo' | 'video' | 'document'; url: string }) {
  const settled = useSettled(url.trim());
  const [failed, setFailed] = useState('');
  if (type === 'photo' && /^https:\/\/[^/\s]+\/\S*$/.test(settled) && failed !== settled) {
    return (
      <img class="chat-photo" src={settled} alt={t.mediaTypes.photo} onError={() => setFailed(settled)} />
    );
  }
  return (
    <div class={`chat-media ${type}`}>
      <Icon name={type} /> {t.mediaTypes[type]}
    </div>
  );
}

function formatted({ text, format }: { text: string; format: string }): ComponentChildren {
  if (format === 'markdown') return marked(text, markdownRules, (leaf) => leaf.replace(ESCAPED, '$1'));
  if (format === 'html') return marked(text, htmlRules, unescaped);
  return marked(text, [valueRule], (leaf) => leaf);
}

type Leaf = (text: string) => string;
type Rule = [RegExp, (inner: ComponentChildren) => ComponentChildren];

/** A backslash before a mark shows the mark. */
const ESCAPED = /\\([\\`*_~+[\]()#])/g;

const valueRule: Rule = [
  new RegExp(`${VALUE_BEGIN}([^${VALUE_END}]*)${VALUE_END}`),
  (inner) => <mark class="personal-value">{inner}</mark>,
];
const markdownRules: Rule[] = [
  valueRule,
  [/(?<!\\)\*\*([^*\n]+)\*\*/, (inner) => <b>{inner}</b>],
  [/(?<![\\_])__([^_\n]+)__/, (inner) => <b>{inner}</b>],
  [/(?<![\\*])\*([^*\n]+)\*/, (inner) => <i>{inner}</i>],
  [/(?<![\\_\p{L}\p{N}])_([^_\n]+)_(?![\p{L}\p{N}])/u, (inner) => <i>{inner}</i>],
  [/(?<!\\)`([^`\n]+)`/, (inner) => <code>{inner}</code>],
  [/(?<!\\)\[([^\]\n]+)\]\([^)\s]+\)/, (inner) => <u>{inner}</u>],
];
const htmlRules: Rule[] = [
  valueRule,
  [/<(?:b|strong)>(.*?)<\/(?:b|strong)>/s, (inner) => <b>{inner}</b>],
  [/<(?:i|em)>(.*?)<\/(?:i|em)>/s, (inner) => <i>{inner}</i>],
  [/<u>(.*?)<\/u>/s, (inner) => <u>{inner}</u>],
  [/<code>(.*?)<\/code>/s, (inner) => <code>{inner}</code>],
  [/<a [^>]*>(.*?)<\/a>/s, (inner) => <u>{inner}</u>],
];

const unescaped: Leaf = (text) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** Replaces the first match of any rule and what is inside it, then goes on behind it. */
function marked(text: string, rules: Rule[], leaf: Leaf): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  for (;;) {
    const matches = rules.flatMap(([pattern, render]) => {
      const found = pattern.exec(rest);
      return found ? [{ at: found.index, found, render }] : [];
    });
    const first = matches.sort((a, b) => a.at - b.at)[0];
    if (!first) return [...parts, leaf(rest)];
    parts.push(leaf(rest.slice(0, first.at)), first.render(marked(first.found[1] ?? '', rules, leaf)));
    rest = rest.slice(first.at + first.found[0].length);
  }
}
