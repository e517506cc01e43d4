import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { defaultScopes, scopeTexts, type Scope } from '../../../src/contract/scopes';
import { can } from '../access';
import { api, type KeyView } from '../api';
import {
  Badge,
  Cell,
  Clip,
  ConfirmDialog,
  Field,
  None,
  Problem,
  SecretDialog,
  Table,
  Time,
  toast,
  useForm,
} from '../elements';
import { useResource } from '../resource';
import { Heading } from '../router';
import { t } from '../texts';

export function Keys() {
  const keys = useResource(api.keys, 'keys');
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>(defaultScopes.filter(can));
  const [created, setCreated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<KeyView | null>(null);
  const form = useForm(['name', 'scopes'], async () => {
    setCreated((await api.createKey(name.trim(), scopes)).api_key);
    setName('');
    await keys.reload();
  });
  return (
    <>
      <Heading title={t.apiKeys} />
      <p class="lead">{t.keysLead}</p>
      <form class="panel inline-form" {...form.attributes}>
        <Field label={t.keyName} error={form.problemOf('name')}>
          {(attributes) => (
            <input
              {...attributes}
              maxLength={limits.nameLength}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <fieldset class="key-scopes">
          <legend>{t.keyScopes}</legend>
          {defaultScopes.map((scope) => (
            <label key={scope} title={scopeTexts[scope]}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                disabled={!can(scope)}
                onChange={(event) =>
                  setScopes(
                    event.currentTarget.checked
                      ? [...scopes, scope]
                      : scopes.filter((other) => other !== scope),
                  )
                }
              />{' '}
              <code>{scope}</code>
            </label>
          ))}
        </fieldset>
        <button type="submit" class="btn primary" disabled={form.busy || scopes.length === 0}>
          {t.createKey}
        </button>
      </form>
      <Problem error={form.error ?? keys.error} />
      <Table label={t.apiKeys} columns={[t.key, t.name, t.keyScopes, t.created, t.lastUsed, t.status]}>
        {keys.data?.data.map((key) => (
          <Row key={key.id} record={key} onRevoke={() => setRevoking(key)} />
        ))}
      </Table>
      {created && (
        <SecretDialog
          title={t.newKey}
          secret={created}
          text={t.newKeyText}
          onClose={() => setCreated(null)}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title={t.revokeTitle(revoking.name ?? revoking.hint)}
          text={t.revokeText}
          confirm={t.revoke}
          act={async () => {
            await api.revokeKey(revoking.id);
            toast(t.keyRevoked);
            await keys.reload();
          }}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  );
}

function Row({ record, onRevoke }: { record: KeyView; onRevoke: () => void }) {
  return (
    <tr>
      <Cell label={t.key}>
        <code>{record.hint}…</code>
      </Cell>
      <Cell label={t.name}>{record.name === null ? <None /> : <Clip>{record.name}</Clip>}</Cell>
      <Cell label={t.keyScopes}>
        {defaultScopes.every((scope) => record.scopes.includes(scope))
          ? t.allScopes
          : record.scopes.join(', ')}
      </Cell>
      <Cell label={t.created}>
        <Time at={record.created_at} />
      </Cell>
      <Cell label={t.lastUsed}>
        <Time at={record.last_used_at} />
      </Cell>
      <Cell label={t.status}>
        {record.revoked_at !== null && <Badge tone="neutral">{t.revoked}</Badge>}
        {record.current && <Badge tone="good">{t.currentKey}</Badge>}
        {record.revoked_at === null && !record.current && (
          <button
            type="button"
            class="btn small"
            aria-label={t.revokeKey(record.name ?? record.hint)}
            onClick={onRevoke}
          >
            {t.revoke}
          </button>
        )}
      </Cell>
    </tr>
  );
}
