import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { propertyValue } from '../../../src/base/contract/property-value';
import { api, type Subscriber, type SubscriberChanges } from '../api';
import {
  Dialog,
  FieldError,
  FormButtons,
  TagsAndPermissions,
  PairFields,
  TextField,
  TimezoneField,
  useForm,
  type Pair,
} from '../elements';
import { typedOrNull } from '../format';
import { t } from '../texts';

function propertyRows({ properties }: Subscriber): Pair[] {
  return Object.entries(properties).map(([name, value], key) => ({
    key,
    name,
    value: String(value),
    stored: true,
  }));
}

/** Only what was changed is sent, so that a text that looks like a number stays a text. */
export function changedProperties(
  before: Subscriber['properties'],
  rows: Pair[],
): NonNullable<SubscriberChanges['properties']> {
  const changes: NonNullable<SubscriberChanges['properties']> = {};
  const given = new Set<string>();
  for (const { name, value } of rows.map((row) => ({ ...row, name: row.name.trim() }))) {
    if (name === '' && value === '') continue;
    if (name === '') throw new FieldError('properties', t.propertyNeedsName);
    if (given.has(name)) throw new FieldError(`properties.${name}`, t.propertyTwice);
    given.add(name);
    if (!(name in before) || value !== String(before[name])) changes[name] = propertyValue(value.trim());
  }
  for (const name of Object.keys(before)) if (!given.has(name)) changes[name] = null;
  return changes;
}

export function EditSubscriber(props: {
  subscriber: Subscriber;
  onClose: () => void;
  onSaved: () => Promise<void>;
}) {
  const { subscriber } = props;
  const [externalId, setExternalId] = useState(subscriber.external_id ?? '');
  const [labels, setLabels] = useState({ tags: subscriber.tags, permissions: subscriber.permissions });
  const [timezone, setTimezone] = useState(subscriber.timezone ?? '');
  const [properties, setProperties] = useState(() => propertyRows(subscriber));
  const fields = [
    'external_id',
    'tags',
    'permissions',
    'timezone',
    'properties',
    ...properties.map(({ name }) => `properties.${name.trim()}`),
  ];
  const form = useForm(fields, async () => {
    await api.changeSubscriber(subscriber.subscriber_id, {
      external_id: typedOrNull(externalId),
      ...labels,
      timezone: typedOrNull(timezone),
      properties: changedProperties(subscriber.properties, properties),
    });
    await props.onSaved();
  });
  return (
    <Dialog title={t.editSubscriber(subscriber.first_name)} unsaved={form.dirty} onClose={props.onClose}>
      <form {...form.attributes}>
        <TextField
          label={t.externalId}
          hint={t.externalIdHint}
          error={form.problemOf('external_id')}
          value={externalId}
          onInput={setExternalId}
        />
        <TagsAndPermissions form={form} value={labels} onChange={setLabels} />
        <TimezoneField
          label={t.subscriberTimezone}
          hint={t.subscriberTimezoneHint}
          error={form.problemOf('timezone')}
          placeholder={t.projectTimezone}
          value={timezone}
          onInput={setTimezone}
        />
        <PairFields
          texts={{
            legend: t.properties,
            hint: t.propertiesHint,
            add: t.addProperty,
            name: t.propertyName,
            value: t.propertyValue,
            valueOf: t.propertyValueOf,
            remove: t.removeProperty,
            nameExample: 'city',
          }}
          limits={{
            count: limits.properties,
            nameLength: limits.propertyKeyLength,
            valueLength: limits.propertyLength,
          }}
          rows={properties}
          problemOf={({ name }) => form.problemOf(`properties.${name.trim()}`)}
          general={form.problemOf('properties')}
          onChange={(rows) => {
            form.touch();
            setProperties(rows);
          }}
        />
        <FormButtons form={form} submit={t.save} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
