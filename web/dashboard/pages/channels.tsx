import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, ApiError, type Channel } from '../api';
import {
  Badge,
  ChannelName,
  ConfirmDialog,
  FieldError,
  FormButtons,
  Problem,
  TextField,
  toast,
  useForm,
  type Tone,
} from '../elements';
import { findMessenger } from '../messengers';
import { useResource } from '../resource';
import { Heading } from '../router';
import { language, t } from '../texts';

const tones: Record<Channel['status'], Tone> = { connected: 'good', away: 'warn', off: 'bad' };

/** The bots of the project: a shared one in each messenger, or its own. */
export function Channels() {
  const channels = useResource(api.channels, 'channels');
  return (
    <>
      <Heading title={t.channels} />
      <p class="lead">{t.channelsLead}</p>
      <Problem error={channels.error} />
      {channels.data?.data.map((channel) => (
        <ChannelPanel key={channel.channel} channel={channel} onChanged={() => channels.reload()} />
      ))}
    </>
  );
}

function ChannelPanel({ channel, onChanged }: { channel: Channel; onChanged: () => Promise<unknown> }) {
  const [removing, setRemoving] = useState(false);
  const bot = channel.bot_username;
  return (
    <section class="panel settings">
      <h2>
        <ChannelName channel={channel.channel} />
      </h2>
      <dl class="facts">
        <dt>{t.bot}</dt>
        <dd>
          {bot === null ? t.noBot : <code>@{bot}</code>}{' '}
          {channel.own ? t.ownBot : bot !== null && t.sharedBot}
        </dd>
        <dt>{t.status}</dt>
        <dd>
          <Badge tone={channel.own || channel.status !== 'off' ? tones[channel.status] : 'neutral'}>
            {t.channelStates[channel.status]}
          </Badge>
        </dd>
      </dl>
      {channel.own && channel.status !== 'connected' && (
        <div class="note" role="status">
          <p>{t.botAway}</p>
          {channel.error && (
            <p class="muted">
              <q lang="en">{channel.error}</q>
            </p>
          )}
        </div>
      )}
      <ConnectForm channel={channel} onChanged={onChanged}>
        {channel.own && (
          <button type="button" class="btn" onClick={() => setRemoving(true)}>
            {t.removeBot}
          </button>
        )}
      </ConnectForm>
      {removing && (
        <ConfirmDialog
          title={t.removeBotTitle(`@${bot ?? ''}`)}
          text={t.removeBotText}
          confirm={t.removeBot}
          act={async () => {
            await api.removeBot(channel.channel);
            toast(t.botRemoved);
            await onChanged();
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </section>
  );
}

/** The token is sent once and shown nowhere. */
function ConnectForm({
  channel,
  onChanged,
  children,
}: {
  channel: Channel;
  onChanged: () => Promise<unknown>;
  children: ComponentChildren;
}) {
  const [token, setToken] = useState('');
  const form = useForm(['token'], async () => {
    const connected = await api.connectBot(channel.channel, token.trim()).catch((error: unknown) => {
      throw aboutToken(error);
    });
    setToken('');
    toast(t.botConnected(`@${connected.bot_username ?? ''}`));
    await onChanged();
  });
  return (
    <form {...form.attributes}>
      <TextField
        label={channel.own ? t.newBotToken : t.botToken}
        hint={`${findMessenger(channel.channel)?.token_hint[language] ?? ''} ${t.tokenHint}`.trim()}
        error={form.problemOf('token')}
        type="password"
        autoComplete="off"
        spellcheck={false}
        required
        maxLength={256}
        value={token}
        onInput={setToken}
      />
      <FormButtons form={form} submit={channel.own ? t.replaceBot : t.connectBot}>
        {children}
      </FormButtons>
    </form>
  );
}

/** These codes are about the token, in words of this page. */
function aboutToken(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 'invalid_bot_token') return new FieldError('token', t.botTokenInvalid);
  if (error.code === 'conflict') return new FieldError('token', t.botInUse);
  return error;
}
