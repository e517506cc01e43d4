import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../texts';
import { ActionButton, Problem } from './basics';
import { CopyButton } from './code';

/**
 * A modal dialog; the browser traps the focus. Escape closes it unless something would be lost: with `unsaved` it asks
 * first, with `persistent` it does nothing.
 */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  unsaved?: boolean;
  persistent?: boolean;
  class?: string;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [asking, setAsking] = useState(false);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const requestClose = () => {
    if (latest.current.persistent) return;
    if (latest.current.unsaved) setAsking(true);
    else latest.current.onClose();
  };
  return (
    <dialog
      ref={ref}
      class={props.class ?? ''}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Cancelled here as well, because a browser closes the dialog on a second Escape whatever `cancel` says.
        event.preventDefault();
        event.stopPropagation();
        requestClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        requestClose();
      }}
      onClose={() => {
        // Closed by the browser itself, for example by the Back button of a phone.
        if (ref.current?.isConnected && !ref.current.open) ref.current.showModal();
      }}
    >
      <h2 id={titleId}>{props.title}</h2>
      {asking && (
        <div class="note" role="alert">
          <p>{t.discardQuestion}</p>
          <p class="buttons">
            <button type="button" class="btn small" onClick={() => setAsking(false)}>
              {t.keepEditing}
            </button>
            <button type="button" class="btn small" onClick={props.onClose}>
              {t.discard}
            </button>
          </p>
        </div>
      )}
      {props.children}
    </dialog>
  );
}

/**
 * Confirms an action. Without a field of its own the focus is on the way back, so that Enter destroys nothing.
 */
export function ConfirmDialog(props: {
  title: string;
  text?: string;
  /** What is asked for before the action. */
  children?: ComponentChildren;
  confirm: string;
  /** Label of the button that closes the dialog without acting. */
  dismiss?: string;
  kind?: 'danger' | 'primary';
  /** Its fields need not be filled in: the focus is on the way back. */
  optional?: boolean;
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
      {props.text && <p>{props.text}</p>}
      {props.children}
      <Problem error={error} />
      <p class="buttons end">
        <button
          type="button"
          class="btn"
          autofocus={!props.children || props.optional === true}
          onClick={props.onClose}
        >
          {props.dismiss ?? t.cancel}
        </button>
        <ActionButton kind={props.kind ?? 'danger'} act={act} onError={setError}>
          {props.confirm}
        </ActionButton>
      </p>
    </Dialog>
  );
}

/** Shows a secret that cannot be read again. It stays until the person says that it is stored. */
export function SecretDialog(props: { title: string; secret: string; text: string; onClose: () => void }) {
  return (
    <Dialog title={props.title} onClose={props.onClose} persistent>
      <p>{props.text}</p>
      <p class="secret">
        <code>{props.secret}</code>
      </p>
      <p class="buttons end">
        <CopyButton text={props.secret} />
        <button type="button" class="btn primary" onClick={props.onClose}>
          {t.secretStored}
        </button>
      </p>
    </Dialog>
  );
}
