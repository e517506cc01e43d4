import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type EndpointView } from '../api';
import { disabledReason } from '../disabled-reason';
import {
  ActionButton,
  Address,
  Allowed,
  Badge,
  Chip,
  ConfirmDialog,
  CopyButton,
  Crumbs,
  Dialog,
  Field,
  JsonBlock,
  Problem,
  SecretDialog,
  Time,
  toast,
} from '../elements';
import { percent, shortDateAndTime } from '../format';
import { useResource } from '../resource';
import { go, Heading } from '../router';
import { endpointState } from '../states';
import { t } from '../texts';
import { DeliveryLog } from './delivery-log';
import { EndpointForm } from './endpoint-form';
import { EndpointSparkline } from './endpoints';
import { EventOptions, useEventTypes } from './event-names';
import { filterText } from './filter-fields';

type Open = 'change' | 'disable' | 'rotate' | 'delete' | 'test' | null;

export function EndpointPage({ id }: { id: string }) {
  const endpoint = useResource(() => api.endpoint(id), id, 'deliveries');
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/webhooks', text: t.endpoints }]} />
      {endpoint.error && !endpoint.data && <Heading title={t.endpoint} />}
      <Problem error={endpoint.error} />
      {endpoint.data && <Details endpoint={endpoint.data} reload={endpoint.reload} />}
    </>
  );
}

function Details({ endpoint, reload }: { endpoint: EndpointView; reload: () => Promise<void> }) {
  const { id } = endpoint;
  const [open, setOpen] = useState<Open>(null);
  const [dirty, setDirty] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const close = () => {
    setOpen(null);
    setDirty(false);
  };
  const active = endpoint.status === 'active';
  const state = endpointState(endpoint);
  const setStatus = async () => {
    await api.changeEndpoint(id, { status: active ? 'disabled' : 'active' });
    toast(active ? t.endpointDisabled : t.endpointEnabled);
    await reload();
  };
  return (
    <>
      <div class="heading">
        <Heading class="url" title={endpoint.url}>
          <Address url={endpoint.url} />
        </Heading>
        <CopyButton text={endpoint.url} label={t.copyUrl} quiet />
        <Badge tone={state.tone}>{state.text}</Badge>
        <Allowed scope="manage">
          <span class="actions">
            <button
              type="button"
              class="btn primary"
              disabled={!active}
              title={active ? undefined : t.enableFirst}
              onClick={() => setOpen('test')}
            >
              {t.sendTest}
            </button>
            <button type="button" class="btn" onClick={() => setOpen('change')}>
              {t.edit}
            </button>
            {active ? (
              <button type="button" class="btn" onClick={() => setOpen('disable')}>
                {t.disable}
              </button>
            ) : (
              <ActionButton act={setStatus} onError={setError}>
                {t.enable}
              </ActionButton>
            )}
            <button type="button" class="btn" onClick={() => setOpen('rotate')}>
              {t.rotateSecret}
            </button>
            <button type="button" class="btn" onClick={() => setOpen('delete')}>
              {t.delete}
            </button>
          </span>
        </Allowed>
      </div>
      <Problem error={error} />
      <Health endpoint={endpoint} />
      <section class="panel" aria-label={t.details}>
        <dl class="facts">
          {endpoint.description && (
            <>
              <dt>{t.description}</dt>
              <dd>{endpoint.description}</dd>
            </>
          )}
          <dt>{t.last24h}</dt>
          <dd>
            {endpoint.health?.success_rate_24h == null
              ? t.noAttempts
              : t.successRate(percent(endpoint.health.success_rate_24h))}{' '}
            <EndpointSparkline id={id} />
          </dd>
          <dt>{t.events}</dt>
          <dd>{endpoint.events.length === 0 ? t.allEvents : endpoint.events.join(', ')}</dd>
          {endpoint.filter && (
            <>
              <dt>{t.results.filter}</dt>
              <dd>
                {filterText(endpoint.filter).map((line) => (
                  <div key={line}>{line}</div>
                ))}
              </dd>
            </>
          )}
          <dt>{t.retryPolicy}</dt>
          <dd>
            {endpoint.retry_policy === 'durable' ? t.durableLong(limits.webhookRetryHours) : t.quickLong}
          </dd>
          <OwnHeaders headers={endpoint.headers} />
          <Secrets secrets={endpoint.secrets ?? []} />
          <dt>{t.created}</dt>
          <dd>
            <Time at={endpoint.created_at} />
          </dd>
        </dl>
      </section>
      <DeliveryLog endpoint={endpoint} />
      {open === 'test' && <TestDialog id={id} onClose={close} />}
      {open === 'change' && (
        <Dialog title={t.editEndpoint} unsaved={dirty} onClose={close}>
          <EndpointForm
            endpoint={endpoint}
            submit={t.save}
            onCancel={close}
            onDirty={setDirty}
            save={async (changes) => {
              await api.changeEndpoint(id, changes);
              await reload();
              toast(t.saved);
              close();
            }}
          />
        </Dialog>
      )}
      {open === 'disable' && (
        <ConfirmDialog
          title={t.disableEndpointTitle}
          text={t.disabledMeans}
          confirm={t.disable}
          act={setStatus}
          onClose={close}
        />
      )}
      {open === 'rotate' && (
        <ConfirmDialog
          title={t.rotateTitle}
          text={t.rotateText(limits.webhookSecretGraceHours)}
          confirm={t.rotate}
          kind="primary"
          act={async () => {
            setSecret((await api.rotateSecret(id)).secret);
            await reload();
          }}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={t.deleteEndpointTitle}
          text={t.deleteEndpointText(endpoint.url)}
          confirm={t.delete}
          act={async () => {
            await api.deleteEndpoint(id);
            go('/dashboard/webhooks');
          }}
          onClose={close}
        />
      )}
      {secret && (
        <SecretDialog
          title={t.newSigningSecret}
          secret={secret}
          text={t.newSigningSecretText(limits.webhookSecretGraceHours)}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}

function Health({ endpoint }: { endpoint: EndpointView }) {
  if (endpoint.status === 'disabled') {
    return (
      <p class="note">
        {endpoint.disabled_reason
          ? t.disabledByHerald(disabledReason(endpoint.disabled_reason))
          : t.disabledByYou}{' '}
        {t.disabledMeans}
      </p>
    );
  }
  if (endpoint.health?.state !== 'failing') return null;
  return (
    <p class="problem">
      {t.failingSince(shortDateAndTime(endpoint.health.failing_since ?? ''), limits.webhookDisableAfterHours)}
    </p>
  );
}

/** Their values are secrets, which the API does not return. */
function OwnHeaders({ headers }: { headers: EndpointView['headers'] }) {
  const names = Object.entries(headers);
  if (names.length === 0) return null;
  return (
    <>
      <dt>{t.ownHeaders}</dt>
      <dd>
        {names.map(([name, mask]) => (
          <div key={name}>
            <code>
              {name}: {mask}
            </code>
          </div>
        ))}
      </dd>
    </>
  );
}

/** Which secrets sign now: after a rotation the old one goes on for a day. */
function Secrets({ secrets }: { secrets: NonNullable<EndpointView['secrets']> }) {
  const old = secrets.filter(({ expires_at }) => expires_at !== null);
  const current = secrets.find(({ expires_at }) => expires_at === null);
  if (!current) return null;
  return (
    <>
      <dt>{t.signingSecret}</dt>
      <dd>
        {t.secretSince(shortDateAndTime(current.created_at))}
        {old.map(({ expires_at }) => (
          <div key={expires_at} class="warn-text">
            {t.oldSecretUntil(shortDateAndTime(expires_at ?? ''))}
          </div>
        ))}
      </dd>
    </>
  );
}

/** Shows the body that is sent, byte for byte, before it is sent. */
function TestDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { types } = useEventTypes();
  const [event, setEvent] = useState('auth.completed');
  const chosen = types.find(({ name }) => name === event);
  const example = chosen?.example;
  return (
    <ConfirmDialog
      title={t.sendTest}
      confirm={t.send}
      kind="primary"
      act={async () => {
        const { delivery_id } = await api.testEndpoint(id, event);
        go(`/dashboard/deliveries/${delivery_id}`);
      }}
      onClose={onClose}
    >
      <Field label={t.event} hint={t.testHint}>
        {(attributes) => (
          <select {...attributes} value={event} onChange={(change) => setEvent(change.currentTarget.value)}>
            <EventOptions chosen={event} />
          </select>
        )}
      </Field>
      <h3 class="with-mark">
        {t.body} <Chip title={t.testMeans}>{t.testMark}</Chip>
      </h3>
      {example && <JsonBlock key={event} raw={JSON.stringify(example)} label={t.copyBody} />}
    </ConfirmDialog>
  );
}
