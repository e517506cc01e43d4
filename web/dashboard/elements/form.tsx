import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { fieldProblems } from '../errors';
import { t } from '../texts';
import { Problem } from './basics';

/** A problem found on the page itself, about one field. */
export class FieldError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Submits a form once at a time and divides what goes wrong between its fields and the rest. What was typed stays; the
 * first field with a problem takes the focus.
 */
export function useForm(fields: readonly string[], submit: () => Promise<void>) {
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const [dirty, setDirty] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const own = error instanceof FieldError ? error : null;
  const { byField, rest } = own ? { byField: [], rest: null } : fieldProblems(error, fields);
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      await submit();
      setDirty(false);
    } catch (problem) {
      setError(problem as Error);
      // After the page has rendered the problem.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    dirty,
    /** For a change that is not typed into a field. */
    touch: () => setDirty(true),
    /** After a change that answers the problem of the last submission. */
    forget: () => setError(null),
    /** What belongs to no field. */
    error: rest,
    problemOf(field: string): string | null {
      if (own) return own.field === field ? own.message : null;
      const texts = byField.filter((problem) => problem.field === field).map(({ text }) => text);
      return texts.length > 0 ? [...new Set(texts)].join(' ') : null;
    },
    attributes: {
      ref: form,
      onInput: () => setDirty(true),
      // The browser rejected the form before it was sent: clear the error of the previous submission.
      onInvalidCapture: () => setError(null),
      onSubmit: (event: Event) => {
        event.preventDefault();
        void run();
      },
    },
  };
}

export type Form = ReturnType<typeof useForm>;

/** The end of a form: what belongs to no field, the way back and the button that submits. */
export function FormButtons(props: {
  form: Form;
  submit: string;
  /** Why the form cannot be submitted yet. */
  blocked?: string | null;
  onCancel?: () => void;
  /** Further buttons, before these. */
  children?: ComponentChildren;
}) {
  const { blocked = null } = props;
  const reasonId = useId();
  return (
    <>
      <Problem error={props.form.error} />
      <p class="buttons end">
        {blocked !== null && (
          <span id={reasonId} class="hint">
            {blocked}
          </span>
        )}
        {props.children}
        {props.onCancel && (
          <button type="button" class="btn" onClick={props.onCancel}>
            {t.cancel}
          </button>
        )}
        <button
          type="submit"
          class="btn primary"
          disabled={props.form.busy || blocked !== null}
          {...(blocked === null ? {} : { 'aria-describedby': reasonId })}
        >
          {props.submit}
        </button>
      </p>
    </>
  );
}
