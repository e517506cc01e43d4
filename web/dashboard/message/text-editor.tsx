import { useRef, useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { Field, Icon } from '../elements';
import { number } from '../format';
import { t } from '../texts';
import type { ContentDraft } from './content';
import { InsertMenu } from './insert-menu';
import { placeholderName } from './placeholder-name';
import { builtInNames, placeholdersIn, type FoundPlaceholder } from './placeholders';

type Format = ContentDraft['format'];

/** Where the text is used: a chain also knows the event that began it, a template what its messages bring. */
export type TextUse = 'message' | 'chain' | 'template';

const tools = ['bold', 'italic', 'link', 'code'] as const;
type Tool = (typeof tools)[number];

/** What stands before and after the marked text. A plain text becomes Markdown with its first mark. */
const marks: Record<'markdown' | 'html', Record<Tool, [string, string]>> = {
  markdown: { bold: ['**', '**'], italic: ['_', '_'], link: ['[', '](https://)'], code: ['`', '`'] },
  html: {
    bold: ['<b>', '</b>'],
    italic: ['<i>', '</i>'],
    link: ['<a href="https://">', '</a>'],
    code: ['<code>', '</code>'],
  },
};
const keys: Record<string, Tool> = { b: 'bold', i: 'italic' };

/** Markdown that was typed into a plain text. */
const TYPED_MARKS = /\*\*[^*\n]+\*\*|\[[^\]\n]+\]\(https?:[^)\s]+\)|`[^`\n]+`/;

/** The text of a message: a toolbar for formatting and placeholders above it, the recognised placeholders below it. */
export function TextEditor(props: {
  label: string;
  error: string | null;
  text: string;
  format: Format;
  change: (part: { text?: string; format?: Format }) => void;
  rows?: number;
  required?: boolean;
  lang?: string;
  use?: TextUse;
  /** Names that the message brings values for. */
  given?: string[];
  /** Braces are sent as they stand. */
  isLiteral?: boolean;
  onFocus?: () => void;
}) {
  const { text, format, change, use: place = 'message' } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const nextFormat = useRef<Format | null>(null);
  const [isInserting, setInserting] = useState(false);

  /** As if it were typed, so that the browser can undo it. The text and its format change together. */
  const type = (inserted: string, newFormat: Format, select?: [number, number]) => {
    const field = area.current;
    if (!field) return;
    field.focus();
    const from = field.selectionStart;
    nextFormat.current = newFormat;
    if (!document.execCommand('insertText', false, inserted)) {
      field.setRangeText(inserted, from, field.selectionEnd, 'end');
      change({ text: field.value, format: newFormat });
    }
    nextFormat.current = null;
    if (select) field.setSelectionRange(from + select[0], from + select[1]);
  };

  const use = (tool: Tool) => {
    const field = area.current;
    if (!field) return;
    const written = format === 'plain' ? 'markdown' : format;
    const [before, after] = marks[written][tool];
    const inner = text.slice(field.selectionStart, field.selectionEnd);
    const all = before + inner + after;
    const address = all.indexOf('https://');
    const select: [number, number] =
      tool === 'link' && inner !== ''
        ? [address, address + 'https://'.length]
        : [before.length, before.length + inner.length];
    type(all, written, select);
  };

  return (
    <Field
      label={props.label}
      hint={t.textLength(number(text.length), number(limits.messageTextLength))}
      error={props.error}
    >
      {(attributes) => (
        <div class="text-editor">
          <div class="toolbar" role="toolbar" aria-label={t.formatting} aria-controls={attributes.id}>
            {tools.map((tool) => (
              <button
                key={tool}
                type="button"
                class="btn quiet small"
                title={t.formattingTools[tool]}
                aria-label={t.formattingTools[tool]}
                onClick={() => use(tool)}
              >
                <Icon name={tool === 'link' ? 'linkSmall' : tool} small />
              </button>
            ))}
            <InsertMenu
              isOpen={isInserting}
              setOpen={setInserting}
              inChain={place === 'chain'}
              insert={(placeholder) => type(placeholder, format)}
            />
          </div>
          <textarea
            {...attributes}
            ref={area}
            class="prose"
            rows={props.rows ?? 7}
            required={props.required ?? false}
            {...(props.lang ? { lang: props.lang } : {})}
            maxLength={limits.messageTextLength}
            value={text}
            onFocus={props.onFocus}
            onKeyDown={(event) => {
              const tool = event.ctrlKey || event.metaKey ? keys[event.key.toLowerCase()] : undefined;
              if (!tool) return;
              event.preventDefault();
              use(tool);
            }}
            onInput={(event) =>
              change({
                text: event.currentTarget.value,
                ...(nextFormat.current ? { format: nextFormat.current } : {}),
              })
            }
          />
          {!props.isLiteral && (
            <PlaceholderChips
              text={text}
              use={place}
              given={props.given ?? []}
              show={({ source }) => {
                const at = text.indexOf(source);
                area.current?.focus();
                area.current?.setSelectionRange(at, at + source.length);
              }}
            />
          )}
          <FormatLine text={text} format={format} change={change} />
        </div>
      )}
    </Field>
  );
}

/** A formatted text can be sent as it stands, and marks that were typed by hand can become formatting. */
function FormatLine(props: { text: string; format: Format; change: (part: { format: Format }) => void }) {
  const { text, format, change } = props;
  if (format !== 'plain') {
    return (
      <p class="hint format-line">
        {t.formattedAs(format === 'html' ? 'HTML' : 'Markdown')}{' '}
        <button type="button" class="link" onClick={() => change({ format: 'plain' })}>
          {t.usePlainText}
        </button>
      </p>
    );
  }
  if (!TYPED_MARKS.test(text)) return null;
  return (
    <p class="hint format-line">
      {t.looksFormatted}{' '}
      <button type="button" class="link" onClick={() => change({ format: 'markdown' })}>
        {t.useFormatting}
      </button>
    </p>
  );
}

function isKnownName(name: string, use: TextUse): boolean {
  if (use === 'template' || (builtInNames as readonly string[]).includes(name)) return true;
  if (name === 'subscriber_id' || name.startsWith('properties.')) return true;
  return use === 'chain' && name.startsWith('event.');
}

/** What is personal about the text. A chip leads to its place. */
function PlaceholderChips(props: {
  text: string;
  use: TextUse;
  given: string[];
  show: (placeholder: FoundPlaceholder) => void;
}) {
  const found = placeholdersIn(props.text);
  if (found.length === 0) return null;
  return (
    <p class="chips" role="group" aria-label={t.personalParts}>
      {found.map((placeholder) => {
        const { name, fallback, source } = placeholder;
        const isKnown = props.given.includes(name) || isKnownName(name, props.use);
        const shown = isKnown ? placeholderName(name) : t.needsValue(name);
        return (
          <button
            key={source}
            type="button"
            class={isKnown ? 'chip personal' : 'chip unknown'}
            title={source}
            onClick={() => props.show(placeholder)}
          >
            {fallback === null || fallback === '' ? shown : t.withFallback(shown, fallback)}
          </button>
        );
      })}
    </p>
  );
}
