import { limits } from '../../../src/contract/limits';
import { RemoveRow, RowFields } from '../elements';
import { t } from '../texts';
import { buttonsOf, type ButtonDraft } from './content';

/** The buttons below a message: each opens an address or sends data with `button.clicked`. */
export function ButtonFields(props: {
  buttons: ButtonDraft[];
  onChange: (buttons: ButtonDraft[]) => void;
  error: string | null;
}) {
  const { buttons } = props;
  const hasAllRows = buttonsOf(buttons).length >= limits.buttonRows;
  return (
    <RowFields
      legend={t.messageButtons}
      hint={t.messageButtonsHint(limits.buttonRows, limits.buttonsPerRow)}
      add={t.addButton}
      rows={buttons}
      isFull={buttons.length >= limits.buttonRows * limits.buttonsPerRow}
      newRow={(key): ButtonDraft => ({ key, text: '', action: 'url', value: '', beside: hasAllRows })}
      error={props.error}
      onChange={props.onChange}
    >
      {(button, { place, set, remove }, errorId) => (
        <ButtonInputs
          key={button.key}
          button={button}
          isFirst={place === 0}
          errorId={errorId}
          set={set}
          remove={remove}
        />
      )}
    </RowFields>
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
      <RemoveRow label={t.removeButton(button.text)} act={props.remove} />
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
