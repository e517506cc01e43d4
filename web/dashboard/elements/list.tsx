import type { ComponentChildren } from 'preact';
import type { usePages } from '../router';
import { t } from '../texts';
import { Icon } from './basics';

/**
 * A table in a card that scrolls sideways inside it, so that no content widens the page. On a phone rows become small
 * cards, each value with its column's name.
 */
export function Table(props: { label: string; columns: string[]; children: ComponentChildren }) {
  return (
    <div class="table-card" role="region" aria-label={props.label} tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column} scope="col">
                {column.startsWith('!') ? <span class="visually-hidden">{column.slice(1)}</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

export function Cell(props: { label: string; class?: string; children: ComponentChildren }) {
  return (
    <td data-label={props.label} class={props.class ?? ''}>
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
