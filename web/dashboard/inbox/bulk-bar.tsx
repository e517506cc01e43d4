import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, toast } from '../elements';
import { helpdesk, type TicketChanges } from '../helpdesk-api';
import { t } from '../texts';
import { agentOptions, givenStatuses, priorityOptions, type Desk } from './desk';
import { words } from './texts';

/** Chooses all tickets of the page, and changes those that are chosen. */
export function BulkBar(props: {
  desk: Desk;
  all: string[];
  selected: string[];
  onSelect: (ids: string[]) => void;
  onChanged: () => Promise<void>;
}) {
  const w = words();
  const { all, selected, onSelect } = props;
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const isPart = selected.length > 0 && selected.length < all.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = isPart;
  }, [isPart]);
  const set = async (changes: TicketChanges) => {
    setBusy(true);
    setError(null);
    try {
      const { updated, failed } = await helpdesk.changeTickets(selected, changes);
      toast(w.changed(updated));
      // Those that could not be changed stay chosen.
      onSelect(failed.map(({ id }) => id));
      if (failed.length > 0) setError(new Error(w.notChanged(failed.length)));
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
      await props.onChanged();
    }
  };
  const menu = (
    label: string,
    options: { value: string; text: string }[],
    act: (value: string) => TicketChanges,
  ) => (
    <select
      aria-label={label}
      disabled={isBusy}
      value=""
      onChange={(event) => void set(act(event.currentTarget.value))}
    >
      <option value="" disabled>
        {label}
      </option>
      {options.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <div class="bulk">
      <label class="choice">
        <input
          ref={box}
          type="checkbox"
          aria-label={t.selectAllRows}
          checked={selected.length === all.length}
          onChange={(event) => onSelect(event.currentTarget.checked ? all : [])}
        />{' '}
        <span role="status">{selected.length > 0 ? w.selected(selected.length) : t.selectAllRows}</span>
      </label>
      {selected.length > 0 && (
        <div class="bulk-menus">
          {menu(
            w.setStatus,
            givenStatuses.map((value) => ({ value, text: t.ticketStates[value] })),
            (value) => ({ status: value as (typeof givenStatuses)[number] }),
          )}
          {menu(
            w.assignTo,
            [...agentOptions(props.desk), { value: 'none', text: w.noAssignee }],
            (value) => ({
              assignee_id: value === 'none' ? null : value,
            }),
          )}
          {menu(w.setPriority, priorityOptions(), (value) => ({
            priority: value as NonNullable<TicketChanges['priority']>,
          }))}
        </div>
      )}
      <Problem error={error} />
    </div>
  );
}
