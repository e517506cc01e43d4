import { useEffect, useId, useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type Subscriber } from '../api';
import { useResource, useSettled } from '../resource';
import { t } from '../texts';
import { ChannelName, Icon } from './basics';
import type { ControlAttributes } from './fields';

const MOST = 6;
/** A single letter finds half of the project. */
const SHORTEST = 2;

/**
 * The first subscribers whose name, username or external id begins so; null before there is something to look for, and until
 * they have been read: Enter must not choose from an earlier list.
 */
export function useFoundSubscribers(typed: string): Subscriber[] | null {
  const q = useSettled(typed.trim());
  const found = useResource(async () => {
    if (q.length < SHORTEST) return null;
    const { data } = await api.subscribers({ q, channel: '', active: '', tag: '', cursor: null });
    return data.slice(0, MOST);
  }, q);
  return q === typed.trim() && q.length >= SHORTEST ? found.data : null;
}

/** A field that finds a subscriber by name. Its value is the id; empty while none is chosen. */
export function SubscriberPicker(props: {
  attributes: ControlAttributes;
  value: string;
  onChange: (id: string) => void;
}) {
  const { value, onChange } = props;
  const list = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<Subscriber | null>(null);
  const [active, setActive] = useState(0);
  const [isOpen, setOpen] = useState(false);
  // An id that came with the address has no name yet.
  const known = chosen?.subscriber_id === value ? chosen : null;
  const named = useResource(async () => (value === '' || known ? null : api.subscriber(value)), value);
  const shown = known ?? named.data;
  const found = useFoundSubscribers(typed);
  useEffect(() => setActive(0), [found]);
  const choose = (subscriber: Subscriber) => {
    setChosen(subscriber);
    setTyped('');
    setOpen(false);
    onChange(subscriber.subscriber_id);
  };
  if (value !== '') {
    return (
      <span class="picked">
        <span class="clip">{shown ? <bdi>{shown.first_name}</bdi> : value.slice(0, 8)}</span>
        <button type="button" class="btn quiet small" aria-label={t.clearChoice} onClick={() => onChange('')}>
          <Icon name="xMark" small />
        </button>
      </span>
    );
  }
  const options = isOpen ? found : null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!options) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const subscriber = options[active];
    if (step !== undefined) setActive((active + step + options.length) % Math.max(1, options.length));
    else if (event.key === 'Enter' && subscriber) choose(subscriber);
    else if (event.key === 'Escape') setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class="search-box picker">
      <Icon name="search" small />
      <input
        {...props.attributes}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-autocomplete="list"
        aria-expanded={options !== null}
        aria-controls={list}
        {...(options?.[active] ? { 'aria-activedescendant': `${list}-${active}` } : {})}
        placeholder={t.findSubscriber}
        maxLength={limits.externalIdLength}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <ul id={list} role="listbox" aria-label={t.subscribers} class="options" hidden={options === null}>
        {options?.map((subscriber, index) => (
          <li
            key={subscriber.subscriber_id}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            // Before the field loses the focus, which closes the list.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(subscriber);
            }}
          >
            <span class="clip">
              <bdi>{subscriber.first_name}</bdi>{' '}
              {subscriber.username && <span class="hint">@{subscriber.username}</span>}
            </span>
            <ChannelName channel={subscriber.channel} />
          </li>
        ))}
        {options?.length === 0 && (
          <li role="option" aria-disabled="true" aria-selected={false} class="hint">
            {t.noSubscriberFound}
          </li>
        )}
      </ul>
    </span>
  );
}

/** A filter of a list by subscriber. */
export function SubscriberFilter(props: { value: string; onChange: (id: string) => void }) {
  const id = useId();
  return (
    <div class="filter search">
      <label htmlFor={id}>{t.subscriber}</label>
      <SubscriberPicker attributes={{ id }} {...props} />
    </div>
  );
}
