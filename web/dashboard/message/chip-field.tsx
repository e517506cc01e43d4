import { useEffect, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Ref } from 'preact';
import type { ControlAttributes } from '../elements';
import { t } from '../texts';
import { ChipPanel } from './chip-panel';
import {
  chipAt,
  isBesideSpacer,
  isShown,
  placedChips,
  refreshChips,
  select,
  selectedSpan,
  showText,
  textOf,
  type ChipLook,
  type Span,
} from './chip-text';
import { placeholderSource, type FoundPlaceholder } from './placeholders';
import { TextHistory } from './text-history';

/** What the toolbar does with the field. */
export interface ChipFieldHandle {
  selection: () => Span;
  /** Replaces the selected text, as if it were typed, and selects a part of what was inserted. */
  insert: (inserted: string, part?: Span) => void;
}

/**
 * A field of several lines whose placeholders are chips. Its value is the text with braces. Typing, autocorrection and phone
 * keyboards are the browser's; what it leaves is read, and shown again only where a chip has come or gone.
 */
export function ChipField(props: {
  attributes: ControlAttributes;
  handle: Ref<ChipFieldHandle>;
  value: string;
  onChange: (value: string) => void;
  /** Null: braces are no placeholders. */
  look: ChipLook | null;
  rows: number;
  lang?: string | undefined;
  readOnly?: boolean;
  onFocus?: (() => void) | undefined;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { value, look, onChange } = props;
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(value);
  const selection = useRef<Span>({ from: value.length, to: value.length });
  const history = useRef(new TextHistory({ text: value, from: value.length, to: value.length }));
  /** Set while a script changes the field, not a person at the keyboard. */
  const isOwnEdit = useRef(false);
  /** A word that the keyboard still composes stands in nodes that must not be replaced. */
  const isComposing = useRef(false);
  const [edited, setEdited] = useState<(Span & FoundPlaceholder) | null>(null);
  const isPersonal = look !== null;
  const keys = useId();

  const show = (text: string, span: Span | null) => {
    const field = element.current;
    if (!field || isComposing.current) return;
    showText(field, text, look);
    if (span) select(field, span);
  };

  useLayoutEffect(() => {
    const field = element.current;
    if (!field) return;
    // A browser that does not know "plaintext-only".
    if (!props.readOnly && !field.isContentEditable) field.contentEditable = 'true';
    const isFocused = document.activeElement === field;
    const isForeign = value !== latest.current;
    if (isForeign) {
      latest.current = value;
      selection.current = { from: value.length, to: value.length };
      history.current = new TextHistory({ text: value, ...selection.current });
    }
    if (isForeign || !isShown(field, value, look)) show(value, isFocused ? selection.current : null);
  }, [value, isPersonal]);
  useEffect(() => {
    if (element.current && look) refreshChips(element.current, look);
  });

  useEffect(() => {
    const remember = () => {
      const field = element.current;
      const span = field && selectedSpan(field);
      if (!span) return;
      selection.current = span;
      for (const { chip, from, to } of placedChips(field)) {
        chip.classList.toggle('selected', span.from <= from && to <= span.to);
      }
    };
    document.addEventListener('selectionchange', remember);
    return () => document.removeEventListener('selectionchange', remember);
  }, []);

  const read = (isTyped: boolean) => {
    const field = element.current;
    if (!field) return;
    const text = textOf(field);
    const span = selectedSpan(field) ?? selection.current;
    selection.current = span;
    latest.current = text;
    history.current.record({ text, ...span }, isTyped);
    if (!isShown(field, text, look)) show(text, span);
    onChange(text);
  };

  /** Through an `input` event, as a key would: the form around the field notices it too. */
  const setText = (text: string, span: Span) => {
    const field = element.current;
    if (!field) return;
    field.focus();
    show(text, span);
    selection.current = span;
    isOwnEdit.current = true;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    isOwnEdit.current = false;
  };
  const replace = ({ from, to }: Span, inserted: string, part?: Span) => {
    const text = latest.current;
    const caret = inserted.length;
    const { from: begin, to: end } = part ?? { from: caret, to: caret };
    setText(text.slice(0, from) + inserted + text.slice(to), { from: from + begin, to: from + end });
  };
  const goTo = (moment: { text: string; from: number; to: number } | null) => {
    if (moment) setText(moment.text, moment);
  };

  useImperativeHandle(props.handle, () => ({
    selection: () => selection.current,
    insert: (inserted, part) => replace(selection.current, inserted, part),
  }));

  const selected = () => (element.current && selectedSpan(element.current)) ?? selection.current;
  const open = (chip: (Span & FoundPlaceholder) | null) => {
    if (!chip) return false;
    setEdited(chip);
    return true;
  };
  /** The chip that the caret would cross next. */
  const beside = (side: 'before' | 'after') => {
    const { from, to } = selected();
    return isPersonal && from === to ? chipAt(latest.current, from, side) : null;
  };

  /** The line break, or what else stands behind a spacer. */
  const nextTo = ({ from, to }: Span, side: 'before' | 'after'): Span => {
    if (from < to) return { from, to };
    return side === 'before' ? { from: Math.max(0, from - 1), to } : { from, to: to + 1 };
  };

  const beforeInput = (event: InputEvent) => {
    const act = (work: () => void) => {
      event.preventDefault();
      work();
    };
    switch (event.inputType) {
      case 'historyUndo':
        return act(() => goTo(history.current.undo()));
      case 'historyRedo':
        return act(() => goTo(history.current.redo()));
      case 'insertParagraph':
      case 'insertLineBreak':
        // A phone's keyboard ends its word with it and must not be held up.
        return event.isComposing ? undefined : act(() => replace(selected(), '\n'));
      case 'deleteContentBackward':
      case 'deleteContentForward': {
        const side = event.inputType === 'deleteContentBackward' ? 'before' : 'after';
        const gone = beside(side) ?? (isBesideSpacer(side) ? nextTo(selected(), side) : null);
        return gone && !event.isComposing ? act(() => replace(gone, '')) : undefined;
      }
    }
  };

  const keyDown = (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    const isPlain = !isCommand && !event.shiftKey && !event.altKey;
    if (isCommand && (key === 'z' || key === 'y')) {
      event.preventDefault();
      goTo(key === 'y' || event.shiftKey ? history.current.redo() : history.current.undo());
    } else if (isPlain && (key === 'arrowleft' || key === 'arrowright')) {
      const chip = beside(key === 'arrowleft' ? 'before' : 'after');
      if (!chip || !element.current) return;
      event.preventDefault();
      select(element.current, chip);
    } else if (isPlain && key === 'enter') {
      const { from, to } = selected();
      const chip = isPersonal ? chipAt(latest.current, from, 'after') : null;
      if (chip?.to === to && open(chip)) event.preventDefault();
    } else props.onKeyDown(event);
  };

  const click = (event: MouseEvent) => {
    const chip = (event.target as Element).closest<HTMLElement>('[data-source]');
    const field = element.current;
    const span = field && placedChips(field).find((placed) => placed.chip === chip);
    if (!span) return;
    select(field, span);
    open(chipAt(latest.current, span.from, 'after'));
  };

  const copy = (event: ClipboardEvent | DragEvent, data: DataTransfer | null) => {
    const { from, to } = selected();
    if (from === to || !data) return false;
    data.setData('text/plain', latest.current.slice(from, to));
    if (event.type !== 'dragstart') event.preventDefault();
    return true;
  };

  const close = (after: number) => {
    setEdited(null);
    element.current?.focus();
    if (element.current) select(element.current, { from: after, to: after });
  };
  // A chip is copied as the placeholder that it stands for.
  const taking = {
    onCopy: (event: ClipboardEvent) => void copy(event, event.clipboardData),
    onDragStart: (event: DragEvent) => void copy(event, event.dataTransfer),
  };
  const editing = {
    ...taking,
    contentEditable: 'plaintext-only' as const,
    onBeforeInput: beforeInput,
    onInput: () => read(!isOwnEdit.current),
    onCompositionStart: () => void (isComposing.current = true),
    onCompositionEnd: () => {
      isComposing.current = false;
      read(true);
    },
    onKeyDown: keyDown,
    onClick: click,
    onCut: (event: ClipboardEvent) => {
      if (copy(event, event.clipboardData)) replace(selected(), '');
    },
    onPaste: (event: ClipboardEvent) => {
      event.preventDefault();
      const pasted = event.clipboardData?.getData('text/plain') ?? '';
      if (pasted !== '') replace(selected(), pasted.replace(/\r\n?/g, '\n'));
    },
  };
  const chip =
    element.current && placedChips(element.current).find(({ from }) => from === edited?.from)?.chip;
  return (
    <>
      <div
        {...props.attributes}
        ref={element}
        class="prose chip-text"
        role="textbox"
        aria-multiline="true"
        aria-labelledby={`${props.attributes.id}-label`}
        aria-describedby={[props.attributes['aria-describedby'], props.readOnly ? '' : keys].join(' ').trim()}
        style={{ minHeight: `${props.rows * 1.5 + 0.8}em` }}
        {...(props.lang ? { lang: props.lang } : {})}
        onFocus={props.onFocus}
        {...(props.readOnly ? { ...taking, tabIndex: 0, 'aria-readonly': true } : editing)}
      />
      <p class="visually-hidden" id={keys}>
        {t.chipKeys}
      </p>
      {edited && chip && (
        <ChipPanel
          key={edited.from}
          placeholder={edited}
          place={{ top: chip.offsetTop + chip.offsetHeight, left: chip.offsetLeft }}
          save={(name, fallback) => {
            const source = placeholderSource(name, fallback);
            if (source !== edited.source) replace(edited, source);
            close(edited.from + source.length);
          }}
          remove={() => {
            replace(edited, '');
            close(edited.from);
          }}
          close={() => close(edited.to)}
        />
      )}
    </>
  );
}
