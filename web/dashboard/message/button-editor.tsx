import { limits } from '../../../src/base/contract/limits';
import { SelectField, TextField } from '../elements';
import { t } from '../texts';
import { buttonsOf, type ButtonDraft } from './content';

/** A new button: in a row of its own while there are rows left. */
export function newButton(buttons: ButtonDraft[]): ButtonDraft {
  return {
    key: 1 + Math.max(-1, ...buttons.map(({ key }) => key)),
    text: '',
    action: 'url',
    value: '',
    beside: buttonsOf(buttons).length >= limits.buttonRows,
  };
}

export const canAddButton = (buttons: ButtonDraft[]) =>
  buttons.length < limits.buttonRows * limits.buttonsPerRow;

/** One button below the phone that shows it: it opens an address or sends data with `button.clicked`. */
export function ButtonEditor(props: {
  button: ButtonDraft;
  isFirst: boolean;
  error: string | null;
  set: (part: Partial<ButtonDraft>) => void;
  remove: () => void;
  close: () => void;
}) {
  const { button, set } = props;
  const isLink = button.action === 'url';
  return (
    <fieldset class="button-editor">
      <legend>{t.messageButton}</legend>
      <TextField
        label={t.buttonText}
        maxLength={limits.buttonTextLength}
        value={button.text}
        onInput={(text) => set({ text })}
      />
      <SelectField
        label={t.buttonAction}
        value={button.action}
        onChange={(action) => set({ action })}
        options={[
          { value: 'url', text: t.buttonOpens },
          { value: 'data', text: t.buttonSends },
        ]}
      />
      <TextField
        label={isLink ? t.buttonUrl : t.buttonData}
        error={props.error}
        placeholder={isLink ? 'https://' : ''}
        maxLength={isLink ? limits.urlLength : limits.buttonDataLength}
        value={button.value}
        onInput={(value) => set({ value })}
      />
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
      <p class="buttons">
        <button type="button" class="btn small" onClick={props.close}>
          {t.done}
        </button>
        <button type="button" class="btn small" onClick={props.remove}>
          {t.removeButton(button.text)}
        </button>
      </p>
    </fieldset>
  );
}
