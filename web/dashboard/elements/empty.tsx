import type { ComponentChildren } from 'preact';
import type { Scope } from '../../../src/base/contract/scopes';
import type { IconName } from '../../shared/icons';
import { Link } from '../router';
import { t } from '../texts';
import { Allowed } from './allowed';
import { Icon } from './basics';

/** An empty list says what belongs there and offers the next step. */
export function Empty(props: { icon: IconName; title: string; text?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={props.icon} />
      <p class="empty-title">{props.title}</p>
      {props.text && <p>{props.text}</p>}
      {props.children}
    </div>
  );
}

/** A list that its filters leave empty: the way out is to clear them. */
export function NoMatch(props: { icon: IconName; title: string; filters: { clear: () => void } }) {
  return (
    <Empty icon={props.icon} title={props.title}>
      <p class="buttons">
        <button type="button" class="btn" onClick={props.filters.clear}>
          <Icon name="xMark" small /> {t.clearFilters}
        </button>
      </p>
    </Empty>
  );
}

/**
 * Begins a new entry of a list, on a page or in a dialog. It stands in the heading; while the list is empty, in the empty
 * state instead, so that one action is not offered twice. A full list says so in its place.
 */
export function CreateButton(
  props: { scope: Scope; text: string; full?: string | null } & ({ to: string } | { act: () => void }),
) {
  const content = (
    <>
      <Icon name="plus" small /> {props.text}
    </>
  );
  return (
    <Allowed scope={props.scope}>
      {props.full ? (
        <span class="hint">{props.full}</span>
      ) : 'to' in props ? (
        <Link to={props.to} class="btn primary">
          {content}
        </Link>
      ) : (
        <button type="button" class="btn primary" onClick={props.act}>
          {content}
        </button>
      )}
    </Allowed>
  );
}
