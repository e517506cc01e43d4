import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { defaultScopes, type Scope } from '../../../src/base/contract/scopes';
import { can } from '../access';
import { api, type KeyView } from '../api';
import {
  ActionCell,
  Badge,
  Cell,
  Clip,
  ConfirmDialog,
  Dialog,
  FormButtons,
  Icon,
  None,
  Problem,
  SecretDialog,
  Table,
  TextField,
  Time,
  toast,
  useForm,
} from '../elements';
import { capitalised } from '../format';
import { pageTexts } from '../page-texts';
import { useResource } from '../resource';
import { Heading } from '../router';
import { t } from '../texts';

const OFFERED = defaultScopes;

export function Keys() {
  const keys = useResource(api.keys, 'keys');
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<KeyView | null>(null);
  return (
    <>
      <div class="heading">
        <Heading title={t.apiKeys} />
        <button type="button" class="btn primary" onClick={() => setCreating(true)}>
          <Icon name="plus" small /> {t.newKey}
        </button>
      </div>
      <p class="lead">{t.keysLead}</p>
      <Problem error={keys.error} />
      <Table
        label={t.apiKeys}
        columns={[
          t.key,
          t.name,
          t.keyScopes,
          { title: t.created, givesWay: 'late' },
          t.lastUsed,
          t.status,
          `!${t.actions}`,
        ]}
      >
        {keys.data?.data.map((key) => (
          <Row key={key.id} record={key} onRevoke={() => setRevoking(key)} />
        ))}
      </Table>
      {creating && (
        <NewKey
          onClose={() => setCreating(false)}
          onCreated={async (secret) => {
            setCreating(false);
            setCreated(secret);
            await keys.reload();
          }}
        />
      )}
      {created && (
        <SecretDialog
          title={t.keyCreated}
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

function NewKey(props: { onClose: () => void; onCreated: (key: string | null) => Promise<void> }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>((['read'] as const).filter(can));
  const form = useForm(['name', 'scopes'], async () =>
    props.onCreated((await api.createKey(name.trim(), scopes)).api_key),
  );
  const toggle = (scope: Scope, on: boolean) =>
    setScopes(on ? [...scopes, scope] : scopes.filter((other) => other !== scope));
  return (
    <Dialog title={t.newKey} unsaved={form.dirty} onClose={props.onClose}>
      <form {...form.attributes}>
        <TextField
          label={t.keyName}
          error={form.problemOf('name')}
          maxLength={limits.nameLength}
          value={name}
          onInput={setName}
        />
        <fieldset class="scopes">
          <legend>{t.keyScopes}</legend>
          {OFFERED.map((scope) => (
            <label key={scope} class="choice" title={can(scope) ? undefined : t.scopeMissing}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                disabled={!can(scope)}
                onChange={(event) => toggle(scope, event.currentTarget.checked)}
              />
              <span>{pageTexts().scopeNames[scope]}</span>
              <span class="hint">
                {t.scopeTexts[scope]} <code>{scope}</code>
              </span>
            </label>
          ))}
        </fieldset>
        <FormButtons
          form={form}
          submit={t.createKey}
          blocked={scopes.length === 0 ? t.chooseScope : null}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}

/** "Read, tickets". */
function scopesText(scopes: Scope[]): string {
  const names = scopes.map((scope) => pageTexts().scopeNames[scope]);
  return capitalised(names.join(', ').toLowerCase());
}

function Row({ record, onRevoke }: { record: KeyView; onRevoke: () => void }) {
  return (
    <tr>
      <Cell label={t.key} lead={record.name === null}>
        <code>{record.hint}…</code>
      </Cell>
      <Cell label={t.name} lead={record.name !== null}>
        {record.name === null ? <None /> : <Clip wide>{record.name}</Clip>}
      </Cell>
      <Cell label={t.keyScopes}>
        {defaultScopes.every((scope) => record.scopes.includes(scope)) ? (
          t.allScopes
        ) : (
          <Clip>{scopesText(record.scopes)}</Clip>
        )}
      </Cell>
      <Cell label={t.created} givesWay="late">
        <Time at={record.created_at} />
      </Cell>
      <Cell label={t.lastUsed}>
        <Time at={record.last_used_at} />
      </Cell>
      <Cell label={t.status}>
        {record.revoked_at !== null ? (
          <Badge tone="neutral">{t.revoked}</Badge>
        ) : (
          <Badge tone="good">{record.current ? t.currentKey : t.keyActive}</Badge>
        )}
      </Cell>
      <ActionCell>
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
      </ActionCell>
    </tr>
  );
}
