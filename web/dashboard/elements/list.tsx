import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { usePages } from '../router';
import { t } from '../texts';
import { Icon } from './basics';

/** How early a column gives way where space is short: `late` below 1200 px of window, `soon` below 1280. */
export type GivesWay = 'soon' | 'late';

/** A column that stays on every screen, or one that gives way. A title that begins with `!` is for screen readers only. */
export type Column = string | { title: string; givesWay: GivesWay };

export interface Selection {
  /** The ids of the rows that can be chosen. */
  all: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** What can be done with the chosen rows. */
  actions: ComponentChildren;
  /** How many are chosen, in words. */
  text: string;
}

/**
 * A table in a card. Rows are one line high while their names fit, and a click anywhere in a row opens what its first
 * link opens. On a phone rows become small cards, each value with its column's name.
 */
export function Table(props: {
  label: string;
  columns: Column[];
  selection?: Selection | undefined;
  children: ComponentChildren;
}) {
  const { selection } = props;
  return (
    <div class="table-card" role="region" aria-label={props.label} tabIndex={0}>
      {selection && selection.chosen.length > 0 && (
        <div class="selection" role="status">
          <span>{selection.text}</span>
          {selection.actions}
          <button type="button" class="btn small" onClick={() => selection.onChange([])}>
            {t.clearSelection}
          </button>
        </div>
      )}
      <table class="list">
        <thead>
          <tr>
            {selection && (
              <th scope="col" class="select">
                <SelectAll selection={selection} />
              </th>
            )}
            {props.columns.map((column) => {
              const { title, givesWay = '' } = typeof column === 'string' ? { title: column } : column;
              return (
                <th key={title} scope="col" class={givesWay}>
                  {title.startsWith('!') ? <span class="visually-hidden">{title.slice(1)}</span> : title}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody onClick={openRow}>{props.children}</tbody>
      </table>
    </div>
  );
}

function SelectAll({ selection: { all, chosen, onChange } }: { selection: Selection }) {
  const box = useRef<HTMLInputElement>(null);
  const isPart = chosen.length > 0 && chosen.length < all.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = isPart;
  }, [isPart]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={t.selectAllRows}
      checked={all.length > 0 && chosen.length === all.length}
      onChange={(event) => onChange(event.currentTarget.checked ? [...all] : [])}
    />
  );
}

/** The box that chooses a row. */
export function SelectCell(props: { label: string; id: string; selection: Selection }) {
  const { chosen, onChange } = props.selection;
  return (
    <td class="select">
      <input
        type="checkbox"
        aria-label={props.label}
        checked={chosen.includes(props.id)}
        onChange={(event) => {
          const others = chosen.filter((each) => each !== props.id);
          onChange(event.currentTarget.checked ? [...others, props.id] : others);
        }}
      />
    </td>
  );
}

/** A click beside the links and controls of a row opens its first link, in a new tab where the person asks for one. */
function openRow(event: MouseEvent): void {
  const target = event.target as Element;
  if (target.closest('a, button, input, select, label, summary')) return;
  // A person who marks text to copy it does not want to leave.
  if (!getSelection()?.isCollapsed) return;
  const link = target.closest('tr')?.querySelector<HTMLAnchorElement>('a[href^="/dashboard/"]');
  const { ctrlKey, metaKey, shiftKey } = event;
  link?.dispatchEvent(
    new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}

/** `lead`: what the row is about, which a phone shows first. */
export function Cell(props: {
  label: string;
  class?: string;
  givesWay?: GivesWay;
  lead?: boolean;
  children: ComponentChildren;
}) {
  const classes = [props.class, props.givesWay, props.lead ? 'lead' : ''].filter(Boolean).join(' ');
  return (
    <td data-label={props.label} class={classes}>
      <div>{props.children}</div>
    </td>
  );
}

/** The buttons of a row, at its end. */
export function ActionCell({ children }: { children: ComponentChildren }) {
  return (
    <td class="row-end">
      <div class="row-actions">{children}</div>
    </td>
  );
}

export function Pager({ pages, next }: { pages: ReturnType<typeof usePages>; next: string | null }) {
  if (pages.isFirst && next === null) return null;
  return (
    <nav class="pager" aria-label={t.pages}>
      <button type="button" class="btn" disabled={pages.isFirst} onClick={pages.newer}>
        <Icon name="chevronLeft" small /> {t.newer}
      </button>
      <button type="button" class="btn" disabled={next === null} onClick={() => next && pages.older(next)}>
        {t.older} <Icon name="chevronRight" small />
      </button>
    </nav>
  );
}
