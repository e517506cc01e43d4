import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiError } from './api';

export function Badge({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

export function Problem({ error }: { error: Error | null }) {
  if (!error) return null;
  const docs = error instanceof ApiError ? error.docsUrl : null;
  return (
    <p class="problem" role="alert">
      {error.message}{' '}
      {docs && error instanceof ApiError && (
        <a href={new URL(docs).pathname + new URL(docs).hash} target="_blank" rel="noopener">
          Learn more
        </a>
      )}
    </p>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** The page is in English whatever the browser's language, so dates and numbers are too. */
export const LOCALE = 'en-GB';

/** A readable time; the full timestamp is in the title and in `datetime`. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <span class="none">–</span>;
  const date = new Date(at);
  const text = date.toLocaleString(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={at} title={at}>
      {text}
    </time>
  );
}

/** A button for an asynchronous action: disabled while the action runs, and reports its error. */
export function ActionButton(props: {
  act: () => Promise<unknown>;
  children: ComponentChildren;
  kind?: 'primary' | 'danger' | 'plain';
  onError: (error: Error | null) => void;
}) {
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    props.onError(null);
    try {
      await props.act();
    } catch (error) {
      props.onError(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" class={props.kind ?? 'plain'} disabled={busy} onClick={() => void press()}>
      {props.children}
    </button>
  );
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" class="plain" onClick={() => void copy().catch(() => setCopied(false))}>
      {label}
      <span class="copied" role="status">
        {copied ? ' ✓ Copied' : ''}
      </span>
    </button>
  );
}

/** A modal dialog. The browser traps the focus and closes it on Escape. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const { onClose } = props;
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={ref} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

/** Confirms an action that cannot be undone. */
export function ConfirmDialog(props: {
  title: string;
  text: string;
  confirm: string;
  /** Label of the button that closes the dialog without acting. */
  dismiss?: string;
  act: () => Promise<unknown>;
  onClose: () => void;
}) {
  const [error, setError] = useState<Error | null>(null);
  const act = async () => {
    await props.act();
    props.onClose();
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p>{props.text}</p>
      <Problem error={error} />
      <p class="buttons">
        <ActionButton kind="danger" act={act} onError={setError}>
          {props.confirm}
        </ActionButton>
        <button type="button" class="plain" onClick={props.onClose}>
          {props.dismiss ?? 'Cancel'}
        </button>
      </p>
    </Dialog>
  );
}

/** Shows a secret that cannot be read again. */
export function SecretDialog(props: { title: string; secret: string; text: string; onClose: () => void }) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p>{props.text}</p>
      <p class="secret">
        <code>{props.secret}</code>
      </p>
      <p class="buttons">
        <CopyButton text={props.secret} />
        <button type="button" class="primary" onClick={props.onClose}>
          I have saved it
        </button>
      </p>
    </Dialog>
  );
}

export function Field(props: { label: string; hint?: string; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children(id)}
      {props.hint && <p class="hint">{props.hint}</p>}
    </div>
  );
}

export interface Option {
  value: string;
  text: string;
}

export function Select(props: {
  label: string;
  value: string;
  options: Option[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="filter">
      <label htmlFor={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Pages through a list by cursor; the cursors already used lead back. */
export function usePages() {
  const [cursors, setCursors] = useState<string[]>([]);
  return {
    cursor: cursors.at(-1) ?? null,
    isFirst: cursors.length === 0,
    older: (cursor: string) => setCursors((before) => [...before, cursor]),
    newer: () => setCursors((before) => before.slice(0, -1)),
    /** A filter's setter that also goes back to the first page. */
    choose: (set: (value: string) => void) => (value: string) => {
      setCursors([]);
      set(value);
    },
  };
}

export function Pager({ pages, next }: { pages: ReturnType<typeof usePages>; next: string | null }) {
  if (pages.isFirst && next === null) return null;
  return (
    <nav class="buttons" aria-label="Pages">
      <button type="button" class="plain" disabled={pages.isFirst} onClick={pages.newer}>
        ← Newer
      </button>
      <button type="button" class="plain" disabled={next === null} onClick={() => next && pages.older(next)}>
        Older →
      </button>
    </nav>
  );
}
