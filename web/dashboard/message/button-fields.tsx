import { useId, useRef } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { Icon } from '../elements';
import { t } from '../texts';
import { buttonsOf, type ButtonDraft } from './content';

/** The buttons below a message: each opens an address or sends data with `button.clicked`. */
export function ButtonFields(props: {
  buttons: ButtonDraft[];
  onChange: (buttons: ButtonDraft[]) => void;
  error: string | null;
}) {
  const { buttons, onChange } = props;
  const list = useRef<HTMLFieldSetElement>(null);
  const id = useId();
  const focus = (selector: string) =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(selector)?.focus());
  const rows = buttonsOf(buttons);
  const add = () => {
    const key = 1 + Math.max(-1, ...buttons.map((button) => button.key));
    onChange([
      ...buttons,
      { key, text: '', action: 'url', value: '', beside: rows.length >= limits.buttonRows },
    ]);
    focus('.button-row:last-of-type input');
  };
  const set = (key: number, part: Partial<ButtonDraft>) =>
    onChange(buttons.map((button) => (button.key === key ? { ...button, ...part } : button)));
  const remove = (key: number) => {
    onChange(buttons.filter((button) => button.key !== key));
    focus('.add');
  };
  return (
    <fieldset ref={list} aria-describedby={`${id}-hint`}>
      <legend>{t.messageButtons}</legend>
      <p class="hint" id={`${id}-hint`}>
        {t.messageButtonsHint(limits.buttonRows, limits.buttonsPerRow)}
      </p>
      {buttons.map((button, place) => (
        <ButtonInputs
          key={button.key}
          button={button}
          isFirst={place === 0}
          errorId={props.error ? `${id}-error` : null}
          set={(part) => set(button.key, part)}
          remove={() => remove(button.key)}
        />
      ))}
      {props.error && (
        <p class="field-error" role="alert" id={`${id}-error`}>
          {props.error}
        </p>
      )}
      {buttons.length < limits.buttonRows * limits.buttonsPerRow && (
        <button type="button" class="btn small add" onClick={add}>
          <Icon name="plus" small /> {t.addButton}
        </button>
      )}
    </fieldset>
  );
}

function ButtonInputs(props: {
  button: ButtonDraft;
  isFirst: boolean;
  errorId: string | null;
  set: (part: Partial<ButtonDraft>) => void;
  remove: () => void;
}) {
  const { button, set } = props;
  const invalid = props.errorId ? { 'aria-invalid': 'true' as const, 'aria-describedby': props.errorId } : {};
  return (
    <div class="button-row">
      <input
        aria-label={t.buttonText}
        placeholder={t.buttonText}
        maxLength={limits.buttonTextLength}
        value={button.text}
        onInput={(event) => set({ text: event.currentTarget.value })}
      />
      <select
        aria-label={t.buttonAction}
        value={button.action}
        onChange={(event) => set({ action: event.currentTarget.value as ButtonDraft['action'] })}
      >
        <option value="url">{t.buttonOpens}</option>
        <option value="data">{t.buttonSends}</option>
      </select>
      <input
        aria-label={button.action === 'url' ? t.buttonUrl : t.buttonData}
        placeholder={button.action === 'url' ? 'https://' : t.buttonData}
        maxLength={button.action === 'url' ? limits.urlLength : limits.buttonDataLength}
        value={button.value}
        onInput={(event) => set({ value: event.currentTarget.value })}
        {...invalid}
      />
      <button
        type="button"
        class="btn quiet small"
        aria-label={t.removeButton(button.text)}
        title={t.removeButton(button.text)}
        onClick={props.remove}
      >
        <Icon name="xMark" small />
      </button>
      {!props.isFirst && (
        <label class="choice">
          <input
            type="checkbox"
            checked={button.beside}
            onChange={(event) => set({ beside: event.currentTarget.checked })}
          />{' '}
          {t.buttonBeside}
        </label>
      )}
    </div>
  );
}
