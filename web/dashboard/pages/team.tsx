import { useId, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { roles, type Role } from '../../../src/base/contract/scopes';
import { notifyLevels, type NotifyLevel } from '../../../src/base/contract/people';
import { api, type DashboardSession, type Invitation, type Member } from '../api';
import {
  ActionCell,
  Cell,
  Clip,
  ConfirmDialog,
  CopyButton,
  CreateButton,
  Dialog,
  Empty,
  Field,
  FormButtons,
  None,
  Problem,
  Table,
  TextField,
  Time,
  toast,
  useForm,
} from '../elements';
import { messengerLinks } from '../messengers';
import { pageTexts } from '../page-texts';
import { useResource } from '../resource';
import { Heading } from '../router';
import { t } from '../texts';

export function Team({ session }: { session: DashboardSession }) {
  const members = useResource(api.members, 'members');
  const invitations = useResource(api.invitations, 'invitations');
  const [removing, setRemoving] = useState<Member | null>(null);
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [inviting, setInviting] = useState(false);
  const isOwner = session.role === 'owner';
  const change = async (member: Member, changes: { role?: Role; notify?: NotifyLevel }) => {
    setError(null);
    try {
      await api.changeMember(member.member_id, changes);
      toast(t.saved);
    } catch (problem) {
      setError(problem as Error);
    }
    await members.reload();
  };
  const isEmpty = members.data?.data.length === 0;
  const create = <CreateButton scope="admin" act={() => setInviting(true)} text={t.inviteMember} />;
  return (
    <>
      <div class="heading">
        <Heading title={t.team} />
        {!isEmpty && create}
      </div>
      <p class="lead">{t.teamLead}</p>
      <Problem error={error ?? members.error ?? invitations.error} />
      {isEmpty && (
        <Empty icon="users" title={t.noMembers} text={t.noMembersText}>
          {create}
        </Empty>
      )}
      {members.data && members.data.data.length > 0 && (
        <Table label={t.members} columns={[t.member, t.role, t.notify, t.lastSeen, `!${t.remove}`]}>
          {members.data.data.map((member) => (
            <MemberRow
              key={member.member_id}
              member={member}
              isChangeable={isOwner || member.role !== 'owner'}
              isOwner={isOwner}
              onChange={(changes) => void change(member, changes)}
              onRemove={() => setRemoving(member)}
            />
          ))}
        </Table>
      )}
      {invitations.data && invitations.data.data.length > 0 && (
        <>
          <h2>{t.invitations}</h2>
          <p class="lead">{t.invitationText(limits.invitationDays)}</p>
          <Table
            label={t.invitations}
            columns={[t.role, t.invitedWho, t.copyLink, t.expires, `!${t.withdraw}`]}
          >
            {invitations.data.data.map((invitation) => (
              <InvitationRow
                key={invitation.invitation_id}
                invitation={invitation}
                onWithdraw={() => setWithdrawing(invitation)}
              />
            ))}
          </Table>
        </>
      )}
      {inviting && (
        <InviteDialog isOwner={isOwner} onInvited={invitations.reload} onClose={() => setInviting(false)} />
      )}
      {removing && (
        <ConfirmDialog
          title={t.removeMemberTitle(removing.first_name)}
          text={t.removeMemberText}
          confirm={t.remove}
          act={async () => {
            await api.removeMember(removing.member_id);
            toast(t.memberRemoved);
            await members.reload();
          }}
          onClose={() => setRemoving(null)}
        />
      )}
      {withdrawing && (
        <ConfirmDialog
          title={t.withdrawTitle}
          text={t.withdrawText}
          confirm={t.withdraw}
          act={async () => {
            await api.withdrawInvitation(withdrawing.invitation_id);
            toast(t.invitationWithdrawn);
            await invitations.reload();
          }}
          onClose={() => setWithdrawing(null)}
        />
      )}
    </>
  );
}

/** Asks for the role, then shows the links, which the list below has too. */
function InviteDialog(props: { isOwner: boolean; onInvited: () => Promise<void>; onClose: () => void }) {
  const [role, setRole] = useState<Role>('viewer');
  const [name, setName] = useState('');
  const [created, setCreated] = useState<Invitation | null>(null);
  const form = useForm(['role', 'name'], async () => {
    setCreated(await api.invite({ role, ...(name.trim() ? { name: name.trim() } : {}) }));
    await props.onInvited();
  });
  if (created) {
    return (
      <Dialog title={t.invitationReady} onClose={props.onClose}>
        <p>{t.invitationText(limits.invitationDays)}</p>
        <Links invitation={created} shown />
        <p class="buttons end">
          <button type="button" class="btn primary" onClick={props.onClose}>
            {t.done}
          </button>
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title={t.inviteMember} unsaved={form.dirty} onClose={props.onClose}>
      <form {...form.attributes}>
        <Field label={t.role} hint={t.roleHints[role]} error={form.problemOf('role')}>
          {(attributes) => (
            <RoleSelect attributes={attributes} value={role} isOwner={props.isOwner} onChange={setRole} />
          )}
        </Field>
        <TextField
          label={t.inviteFor}
          error={form.problemOf('name')}
          maxLength={limits.nameLength}
          value={name}
          onInput={setName}
        />
        <FormButtons form={form} submit={t.invite} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}

/** Only an owner makes owners. */
function RoleSelect(props: {
  attributes: object;
  value: Role;
  isOwner: boolean;
  onChange: (role: Role) => void;
}) {
  return (
    <select
      {...props.attributes}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value as Role)}
    >
      {roles
        .filter((role) => props.isOwner || role !== 'owner' || props.value === 'owner')
        .map((role) => (
          <option key={role} value={role}>
            {t.roleNames[role]}
          </option>
        ))}
    </select>
  );
}

function MemberRow(props: {
  member: Member;
  isChangeable: boolean;
  isOwner: boolean;
  onChange: (changes: { role?: Role; notify?: NotifyLevel }) => void;
  onRemove: () => void;
}) {
  const { member, isChangeable } = props;
  const label = t.changeMember(member.first_name);
  const hintId = useId();
  const disabled = isChangeable ? {} : { disabled: true, 'aria-describedby': hintId };
  return (
    <tr>
      <Cell label={t.member} lead>
        <Clip>{member.first_name}</Clip>
        {member.username && <span class="hint clip">@{member.username}</span>}
      </Cell>
      <Cell label={t.role} {...(isChangeable ? {} : { class: 'wraps' })}>
        <RoleSelect
          attributes={{ 'aria-label': `${label}: ${t.role}`, ...disabled }}
          value={member.role}
          isOwner={props.isOwner}
          onChange={(role) => props.onChange({ role })}
        />
        {!isChangeable && (
          <span id={hintId} class="hint below">
            {pageTexts().ownersOnly}
          </span>
        )}
      </Cell>
      <Cell label={t.notify}>
        <select
          aria-label={`${label}: ${t.notify}`}
          {...disabled}
          value={member.notify}
          onChange={(event) => props.onChange({ notify: event.currentTarget.value as NotifyLevel })}
        >
          {notifyLevels.map((level) => (
            <option key={level} value={level}>
              {t.notifyLevels[level]}
            </option>
          ))}
        </select>
      </Cell>
      <Cell label={t.lastSeen}>{member.last_seen_at ? <Time at={member.last_seen_at} /> : t.never}</Cell>
      <ActionCell>
        {isChangeable && (
          <button
            type="button"
            class="btn small"
            aria-label={t.removeMember(member.first_name)}
            onClick={props.onRemove}
          >
            {t.remove}
          </button>
        )}
      </ActionCell>
    </tr>
  );
}

function InvitationRow({ invitation, onWithdraw }: { invitation: Invitation; onWithdraw: () => void }) {
  return (
    <tr>
      <Cell label={t.role} lead>
        {t.roleNames[invitation.role]}
      </Cell>
      <Cell label={t.invitedWho}>{invitation.name === null ? <None /> : <Clip>{invitation.name}</Clip>}</Cell>
      <Cell label={t.copyLink}>
        <span class="row-actions">
          <Links invitation={invitation} />
        </span>
      </Cell>
      <Cell label={t.expires}>
        <Time at={invitation.expires_at} />
      </Cell>
      <ActionCell>
        <button type="button" class="btn small" onClick={onWithdraw}>
          {t.withdraw}
        </button>
      </ActionCell>
    </tr>
  );
}

/** With `shown` the links can be read too. */
function Links({ invitation, shown = false }: { invitation: Invitation; shown?: boolean }) {
  return (
    <>
      {messengerLinks(invitation).map(({ channel, name, link }) =>
        shown ? (
          <div class="code-block" key={channel}>
            <pre tabIndex={0}>
              <code>{link}</code>
            </pre>
            <CopyButton text={link} label={t.invitationLink(name)} quiet />
          </div>
        ) : (
          <CopyButton key={channel} text={link} label={name} />
        ),
      )}
    </>
  );
}
