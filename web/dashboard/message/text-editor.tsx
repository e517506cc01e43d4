import { useEffect, useRef, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { Field, Icon } from '../elements';
import { number } from '../format';
import { t } from '../texts';
import { ChipField, type ChipFieldHandle } from './chip-field';
import type { ChipLook, Span } from './chip-text';
import type { ContentDraft } from './content';
import { InsertMenu } from './insert-menu';
import { placeholderName } from './placeholder-name';
import { builtInNames } from './placeholders';

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

/** The text of a message, placeholders as chips in it, under a toolbar for formatting and placeholders. */
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
  /** For members who may not change it. */
  readOnly?: boolean;
  onFocus?: () => void;
}) {
  const { text, format, change, use: place = 'message', given = [] } = props;
  const field = useRef<ChipFieldHandle>(null);
  const nextFormat = useRef<Format | null>(null);
  const [isInserting, setInserting] = useState(false);
  /** The browser has refused to submit the form with this text. */
  const [isRefused, setRefused] = useState(false);
  const isTooLong = text.length > limits.messageTextLength;
  const isMissing = props.required === true && text.trim() === '';
  const refusal = isTooLong
    ? t.textTooLong(number(limits.messageTextLength))
    : isMissing
      ? t.textMissing
      : null;

  /** The text and its format change together. */
  const type = (inserted: string, newFormat: Format, part?: Span) => {
    nextFormat.current = newFormat;
    field.current?.insert(inserted, part);
    nextFormat.current = null;
  };

  const use = (tool: Tool) => {
    const { from, to } = field.current?.selection() ?? { from: text.length, to: text.length };
    const written = format === 'plain' ? 'markdown' : format;
    const [before, after] = marks[written][tool];
    const inner = text.slice(from, to);
    const all = before + inner + after;
    const address = all.indexOf('https://');
    const part =
      tool === 'link' && inner !== ''
        ? { from: address, to: address + 'https://'.length }
        : { from: before.length, to: before.length + inner.length };
    type(all, written, part);
  };

  const look: ChipLook = ({ name, fallback }) => {
    const isKnown = given.includes(name) || isKnownName(name, place);
    const shown = isKnown ? placeholderName(name) : t.needsValue(name);
    return { isKnown, text: fallback === null || fallback === '' ? shown : t.withFallback(shown, fallback) };
  };

  return (
    <Field
      label={props.label}
      hint={t.textLength(number(text.length), number(limits.messageTextLength))}
      error={props.error ?? (isRefused || isTooLong ? refusal : null)}
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
              given={given}
              insert={(placeholder) => type(placeholder, format)}
            />
          </div>
          <ChipField
            attributes={attributes}
            handle={field}
            value={text}
            onChange={(written) => {
              setRefused(false);
              change({ text: written, ...(nextFormat.current ? { format: nextFormat.current } : {}) });
            }}
            look={props.isLiteral ? null : look}
            rows={props.rows ?? 7}
            lang={props.lang}
            readOnly={props.readOnly ?? false}
            onFocus={props.onFocus}
            onKeyDown={(event) => {
              const tool = event.ctrlKey || event.metaKey ? keys[event.key.toLowerCase()] : undefined;
              if (!tool) return;
              event.preventDefault();
              use(tool);
            }}
          />
          <FormPart id={attributes.id} problem={refusal} onRefused={() => setRefused(true)} />
          <FormatLine text={text} format={format} change={change} />
        </div>
      )}
    </Field>
  );
}

/** Takes part in the form for the field, which is no control of its own: a form is not sent with a problem. */
function FormPart(props: { id: string; problem: string | null; onRefused: () => void }) {
  const control = useRef<HTMLInputElement>(null);
  useEffect(() => control.current?.setCustomValidity(props.problem ?? ''), [props.problem]);
  return (
    <input
      ref={control}
      class="form-part"
      tabIndex={-1}
      aria-hidden="true"
      onInvalid={(event) => {
        // Said beside the field, not in a bubble of the browser.
        event.preventDefault();
        props.onRefused();
        document.getElementById(props.id)?.focus();
      }}
    />
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
