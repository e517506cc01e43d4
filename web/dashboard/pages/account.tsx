import { useState } from 'preact/hooks';
import { readUserAgent } from '../../../src/base/contract/device';
import { notifyLevels, type NotifyLevel } from '../../../src/base/contract/people';
import { api, type SignInRecord } from '../api';
import { ActionButton, Badge, Cell, Field, None, Problem, Table, Time, toast } from '../elements';
import { useResource } from '../resource';
import { Heading } from '../router';
import { t } from '../texts';

/** The person's own sign-ins, and what the bot tells them. */
export function Account() {
  const own = useResource(api.session, 'own-session');
  const [error, setError] = useState<Error | null>(null);
  return (
    <>
      <Heading title={t.account} />
      <p class="lead">{t.accountLead}</p>
      <OwnSignIns />
      <Problem error={error} />
      {own.data && own.data.notify !== null && (
        <OwnNotify
          level={own.data.notify}
          onError={setError}
          change={async (level) => {
            await api.setOwnNotify(level);
            toast(t.saved);
            await own.reload();
          }}
        />
      )}
    </>
  );
}

/** Also of an account that is in no team. */
export function OwnSignIns() {
  const sessions = useResource(api.signIns, 'sign-ins');
  const [error, setError] = useState<Error | null>(null);
  return (
    <>
      <Problem error={error ?? sessions.error} />
      <Table label={t.account} columns={[t.device, t.ipAddress, t.signedInAt, t.lastSeen, t.status]}>
        {sessions.data?.data.map((session) => (
          <Row
            key={session.session_id}
            session={session}
            onError={setError}
            end={async () => {
              await api.endSignIn(session.session_id);
              toast(t.sessionEnded);
              await sessions.reload();
            }}
          />
        ))}
      </Table>
    </>
  );
}

/** Of the current project: a member of any role chooses it. */
function OwnNotify(props: {
  level: NotifyLevel;
  change: (level: NotifyLevel) => Promise<void>;
  onError: (error: Error | null) => void;
}) {
  return (
    <div class="panel">
      <Field label={t.notify} hint={t.ownNotifyHint}>
        {(attributes) => (
          <select
            {...attributes}
            value={props.level}
            onChange={(event) =>
              void props.change(event.currentTarget.value as NotifyLevel).then(
                () => props.onError(null),
                (error: unknown) => props.onError(error as Error),
              )
            }
          >
            {notifyLevels.map((each) => (
              <option key={each} value={each}>
                {t.notifyLevels[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

function Row(props: {
  session: SignInRecord;
  end: () => Promise<void>;
  onError: (error: Error | null) => void;
}) {
  const { session } = props;
  const device = deviceOf(session.user_agent);
  return (
    <tr>
      <Cell label={t.device} lead>
        {device}
      </Cell>
      <Cell label={t.ipAddress}>{session.ip ?? <None />}</Cell>
      <Cell label={t.signedInAt}>
        <Time at={session.created_at} />
      </Cell>
      <Cell label={t.lastSeen}>
        <Time at={session.last_seen_at} />
      </Cell>
      <Cell label={t.status}>
        {session.current ? (
          <Badge tone="good">{t.currentSession}</Badge>
        ) : (
          <ActionButton small act={props.end} onError={props.onError}>
            {t.endSession}
          </ActionButton>
        )}
      </Cell>
    </tr>
  );
}

function deviceOf(userAgent: string | null): string {
  const device = userAgent === null ? null : readUserAgent(userAgent);
  if (!device) return userAgent?.slice(0, 60) || t.unknownDevice;
  const { browser, system } = device;
  return browser && system ? t.deviceOn(browser, system) : (browser ?? system ?? t.unknownDevice);
}
