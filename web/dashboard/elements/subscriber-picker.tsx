import { useId, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type Subscriber } from '../api';
import { useResource, useSettled } from '../resource';
import { t } from '../texts';
import { ChannelName, Icon } from './basics';
import { SuggestInput } from './combobox';
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
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<Subscriber | null>(null);
  // An id that came with the address has no name yet.
  const known = chosen?.subscriber_id === value ? chosen : null;
  const named = useResource(async () => (value === '' || known ? null : api.subscriber(value)), value);
  const shown = known ?? named.data;
  const found = useFoundSubscribers(typed);
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
  return (
    <SuggestInput
      attributes={props.attributes}
      listLabel={t.subscribers}
      hasIcon
      placeholder={t.findSubscriber}
      maxLength={limits.externalIdLength}
      value={typed}
      none={found ? t.noSubscriberFound : undefined}
      suggestions={(found ?? []).map((subscriber) => ({
        key: subscriber.subscriber_id,
        text: subscriber.first_name,
        shown: <Shown subscriber={subscriber} />,
        subscriber,
      }))}
      onInput={setTyped}
      onPick={({ subscriber }) => {
        setChosen(subscriber);
        setTyped('');
        onChange(subscriber.subscriber_id);
      }}
    />
  );
}

function Shown({ subscriber }: { subscriber: Subscriber }) {
  return (
    <>
      <span class="clip">
        <bdi>{subscriber.first_name}</bdi>{' '}
        {subscriber.username && <span class="hint">@{subscriber.username}</span>}
      </span>
      <ChannelName channel={subscriber.channel} />
    </>
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
