import type { ComponentChildren } from 'preact';
import { ChannelName, Icon } from '../elements';
import { t } from '../texts';

/** The message as the messenger shows it. Formatting is an approximation of the platforms' own. */
export function PhonePreview({
  media = '',
  buttons = [],
  ...props
}: {
  channel: string;
  text: string;
  format: 'plain' | 'markdown' | 'html';
  media?: '' | 'photo' | 'video' | 'document';
  /** Rows of buttons. */
  buttons?: { text: string }[][];
}) {
  return (
    <figure class={`phone ${props.channel}`}>
      <figcaption>
        <ChannelName channel={props.channel} />
      </figcaption>
      <div class="chat">
        <div class={media === '' ? 'bubble' : 'bubble with-media'}>
          {media !== '' && (
            <div class={`chat-media ${media}`}>
              <Icon name={media} /> {t.mediaTypes[media]}
            </div>
          )}
          {props.text.trim() === '' ? <span class="hint">{t.previewEmpty}</span> : formatted(props)}
        </div>
        {buttons.map((row, place) => (
          <div key={place} class="chat-buttons">
            {row.map(({ text }, index) => (
              <div key={index} class="chat-button">
                {text}
              </div>
            ))}
          </div>
        ))}
      </div>
    </figure>
  );
}

function formatted({ text, format }: { text: string; format: string }): ComponentChildren {
  if (format === 'markdown') return marked(text, markdownRules);
  if (format === 'html') return marked(unescaped(text), htmlRules);
  return text;
}

type Rule = [RegExp, (inner: string) => ComponentChildren];

const markdownRules: Rule[] = [
  [/\*\*([^*\n]+)\*\*/, (inner) => <b>{inner}</b>],
  [/\*([^*\n]+)\*/, (inner) => <b>{inner}</b>],
  [/_([^_\n]+)_/, (inner) => <i>{inner}</i>],
  [/`([^`\n]+)`/, (inner) => <code>{inner}</code>],
  [/\[([^\]\n]+)\]\([^)\s]+\)/, (inner) => <u>{inner}</u>],
];
const htmlRules: Rule[] = [
  [/<(?:b|strong)>([^<]*)<\/(?:b|strong)>/, (inner) => <b>{inner}</b>],
  [/<(?:i|em)>([^<]*)<\/(?:i|em)>/, (inner) => <i>{inner}</i>],
  [/<u>([^<]*)<\/u>/, (inner) => <u>{inner}</u>],
  [/<code>([^<]*)<\/code>/, (inner) => <code>{inner}</code>],
  [/<a [^>]*>([^<]*)<\/a>/, (inner) => <u>{inner}</u>],
];

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '‹').replaceAll('&gt;', '›').replaceAll('&amp;', '&');
}

/** Replaces the first match of any rule, then goes on behind it. */
function marked(text: string, rules: Rule[]): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  for (;;) {
    const matches = rules.flatMap(([pattern, render]) => {
      const found = pattern.exec(rest);
      return found ? [{ at: found.index, found, render }] : [];
    });
    const first = matches.sort((a, b) => a.at - b.at)[0];
    if (!first) return [...parts, rest];
    parts.push(rest.slice(0, first.at), first.render(first.found[1] ?? ''));
    rest = rest.slice(first.at + first.found[0].length);
  }
}
