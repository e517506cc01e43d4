import { useRef, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type NewOidcClient, type OidcClient } from '../api';
import {
  Address,
  Allowed,
  Chip,
  ConfirmDialog,
  Copyable,
  CreateButton,
  Dialog,
  Empty,
  Field,
  FormButtons,
  Problem,
  SecretDialog,
  Time,
  toast,
  useForm,
} from '../elements';
import { typedList } from '../format';
import { pageTexts } from '../page-texts';
import { useResource } from '../resource';
import { Heading } from '../router';
import { t } from '../texts';

type Open =
  | { dialog: 'create' }
  | { dialog: 'edit' | 'rotate' | 'delete'; client: OidcClient }
  | { dialog: 'secret'; secret: string };

/** Clients of OpenID Connect: sites and platforms that log people in with Herald. */
export function OidcClients() {
  const clients = useResource(api.oidcClients, 'oidc-clients');
  const [open, setOpen] = useState<Open | null>(null);
  const list = clients.data?.data;
  const close = () => setOpen(null);
  const showSecret = (secret: string | null) =>
    setOpen(secret === null ? null : { dialog: 'secret', secret });
  const isEmpty = list?.length === 0;
  const create = (
    <CreateButton
      scope="manage"
      act={() => setOpen({ dialog: 'create' })}
      text={t.newOidcClient}
      full={list && list.length >= limits.oidcClients ? pageTexts().clientsFull(limits.oidcClients) : null}
    />
  );
  return (
    <>
      <div class="heading">
        <Heading title={t.oidc} />
        {!isEmpty && create}
      </div>
      <p class="lead">
        {t.oidcLead}{' '}
        <a href={`${t.docsStart}/openid-connect`} target="_blank" rel="noopener">
          {t.oidcGuide}
        </a>
      </p>
      <Problem error={clients.error} />
      {isEmpty && (
        <Empty icon="login" title={t.noOidcClients} text={t.noOidcClientsText}>
          {create}
        </Empty>
      )}
      {list?.[0] && <Addresses client={list[0]} />}
      <ul class="cards">
        {list?.map((client) => (
          <ClientCard key={client.client_id} client={client} onOpen={setOpen} />
        ))}
      </ul>
      {open?.dialog === 'create' && (
        <ClientDialog
          title={t.newOidcClient}
          submit={t.create}
          onClose={close}
          save={async (client) => {
            const created = await api.createOidcClient(client);
            showSecret(created.client_secret);
            await clients.reload();
          }}
        />
      )}
      {open?.dialog === 'edit' && (
        <ClientDialog
          title={t.editOidcClient}
          submit={t.save}
          client={open.client}
          onClose={close}
          save={async ({ type: _, ...changes }) => {
            await api.changeOidcClient(open.client.client_id, changes);
            close();
            toast(t.saved);
            await clients.reload();
          }}
        />
      )}
      {open?.dialog === 'secret' && (
        <SecretDialog title={t.oidcSecret} secret={open.secret} text={t.oidcSecretText} onClose={close} />
      )}
      {open?.dialog === 'rotate' && <Rotation client={open.client} onClose={close} onRotated={showSecret} />}
      {open?.dialog === 'delete' && (
        <ConfirmDialog
          title={t.deleteOidcTitle(open.client.name)}
          text={t.deleteOidcText}
          confirm={t.delete}
          act={async () => {
            await api.deleteOidcClient(open.client.client_id);
            toast(t.oidcClientDeleted);
            await clients.reload();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

/** The same for every client: what a platform asks for besides the id and the secret. */
function Addresses({ client }: { client: OidcClient }) {
  return (
    <section class="panel" aria-label={t.oidcAddresses}>
      <dl class="facts">
        <dt>{t.oidcDiscovery}</dt>
        <dd>
          <Copyable text={client.discovery_url} label={t.copyOidcDiscovery} />
        </dd>
        <dt>{t.oidcIssuer}</dt>
        <dd>
          <Copyable text={client.issuer} label={t.copyOidcIssuer} />
        </dd>
      </dl>
    </section>
  );
}

function ClientCard({ client, onOpen }: { client: OidcClient; onOpen: (open: Open) => void }) {
  return (
    <li class="panel card">
      <div class="row">
        <span>
          <span class="card-title url">{client.name}</span>{' '}
          {client.type === 'public' && <Chip>{t.oidcPublic}</Chip>}{' '}
          {client.device && <Chip>{t.oidcDevice}</Chip>}
        </span>
        <Allowed scope="manage">
          <span class="row-actions">
            <button
              type="button"
              class="btn small"
              aria-label={t.editOidcNamed(client.name)}
              onClick={() => onOpen({ dialog: 'edit', client })}
            >
              {t.edit}
            </button>
            {client.type === 'confidential' && (
              <button
                type="button"
                class="btn small"
                aria-label={t.rotateOidcNamed(client.name)}
                onClick={() => onOpen({ dialog: 'rotate', client })}
              >
                {t.rotateSecret}
              </button>
            )}
            <button
              type="button"
              class="btn small"
              aria-label={t.deleteOidcNamed(client.name)}
              onClick={() => onOpen({ dialog: 'delete', client })}
            >
              {t.delete}
            </button>
          </span>
        </Allowed>
      </div>
      <dl class="facts">
        <dt>{t.oidcClientId}</dt>
        <dd>
          <Copyable text={client.client_id} label={t.copyOidcClientId(client.name)} />
        </dd>
        <dt>{t.oidcRedirectUris}</dt>
        <dd>
          {client.redirect_uris.map((uri) => (
            <div key={uri} class="url">
              <Address url={uri} />
            </div>
          ))}
        </dd>
        <dt>{t.created}</dt>
        <dd>
          <Time at={client.created_at} />
        </dd>
      </dl>
    </li>
  );
}

function Rotation(props: {
  client: OidcClient;
  onClose: () => void;
  onRotated: (secret: string | null) => void;
}) {
  const rotated = useRef(false);
  return (
    <ConfirmDialog
      title={t.rotateOidcTitle(props.client.name)}
      text={pageTexts().oidcRotateText(limits.oidcSecretGraceHours)}
      confirm={t.rotate}
      kind="primary"
      act={async () => {
        const { client_secret } = await api.rotateOidcSecret(props.client.client_id);
        rotated.current = true;
        props.onRotated(client_secret);
      }}
      // The dialog closes itself after the action; by then the secret is on screen.
      onClose={() => !rotated.current && props.onClose()}
    />
  );
}

const algorithms: OidcClient['id_token_alg'][] = ['RS256', 'ES256'];
const FIELDS = ['name', 'redirect_uris', 'post_logout_redirect_uris', 'type', 'id_token_alg', 'device'];

function ClientDialog(props: {
  title: string;
  submit: string;
  client?: OidcClient;
  save: (client: NewOidcClient) => Promise<void>;
  onClose: () => void;
}) {
  const { client } = props;
  const [name, setName] = useState(client?.name ?? '');
  const [redirects, setRedirects] = useState(client?.redirect_uris.join('\n') ?? '');
  const [afterLogout, setAfterLogout] = useState(client?.post_logout_redirect_uris.join('\n') ?? '');
  const [type, setType] = useState<'confidential' | 'public'>(client?.type ?? 'confidential');
  const [algorithm, setAlgorithm] = useState<'RS256' | 'ES256'>(client?.id_token_alg ?? 'RS256');
  const [device, setDevice] = useState(client?.device ?? false);
  const form = useForm(FIELDS, () =>
    props.save({
      name: name.trim(),
      redirect_uris: typedList(redirects, '\n'),
      post_logout_redirect_uris: typedList(afterLogout, '\n'),
      type,
      id_token_alg: algorithm,
      device,
    }),
  );
  return (
    <Dialog title={props.title} unsaved={form.dirty} onClose={props.onClose}>
      <form {...form.attributes}>
        <Field label={t.name} error={form.problemOf('name')}>
          {(attributes) => (
            <input
              {...attributes}
              required
              maxLength={limits.nameLength}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field
          label={t.oidcRedirectUris}
          hint={t.oidcRedirectUrisHint}
          error={form.problemOf('redirect_uris')}
        >
          {(attributes) => (
            <textarea
              {...attributes}
              required
              rows={3}
              placeholder="https://"
              value={redirects}
              onInput={(event) => setRedirects(event.currentTarget.value)}
            />
          )}
        </Field>
        {!client && (
          <Field label={t.oidcType} hint={t.oidcTypeHint} error={form.problemOf('type')}>
            {(attributes) => (
              <select
                {...attributes}
                value={type}
                onChange={(event) => setType(event.currentTarget.value as typeof type)}
              >
                <option value="confidential">{t.oidcConfidential}</option>
                <option value="public">{t.oidcPublic}</option>
              </select>
            )}
          </Field>
        )}
        <details class="advanced" open={afterLogout !== '' || device || algorithm !== 'RS256'}>
          <summary>{t.oidcAdvanced}</summary>
          <Field
            label={t.oidcAfterLogout}
            hint={t.oidcAfterLogoutHint}
            error={form.problemOf('post_logout_redirect_uris')}
          >
            {(attributes) => (
              <textarea
                {...attributes}
                rows={2}
                value={afterLogout}
                onInput={(event) => setAfterLogout(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={t.oidcAlgorithm} error={form.problemOf('id_token_alg')}>
            {(attributes) => (
              <select
                {...attributes}
                value={algorithm}
                onChange={(event) => setAlgorithm(event.currentTarget.value as typeof algorithm)}
              >
                {algorithms.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <label class="choice">
            <input
              type="checkbox"
              checked={device}
              onChange={(event) => setDevice(event.currentTarget.checked)}
            />{' '}
            {t.oidcAllowDevice}
          </label>
        </details>
        <FormButtons form={form} submit={props.submit} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
