import { useState } from 'preact/hooks';
import type { ChainStats } from '../../../src/domains/drip/contract';
import { can } from '../access';
import { api, type ChainStep, type Chain, type ListedEnrolment } from '../api';
import {
  ActionButton,
  ActionCell,
  Badge,
  Cell,
  Clip,
  ConfirmDialog,
  CreateButton,
  Crumbs,
  Empty,
  Field,
  NoMatch,
  None,
  Pager,
  Problem,
  StatusSelect,
  SubscriberPicker,
  Table,
  Time,
  toast,
  useForm,
} from '../elements';
import { number } from '../format';
import { useSubscribers } from '../people';
import { useResource } from '../resource';
import { go, Heading, Link, useFilters, usePages } from '../router';
import { chainState, enrolmentState } from '../states';
import { t } from '../texts';
import { ChainResults } from './drip-stats';
import { rulesText, stepLine, triggerText } from './drip-steps';

const REFRESH_MS = 5_000;

export function DripChains() {
  const pages = usePages();
  const found = useResource(() => api.chains(pages.cursor), pages.cursor ?? '', REFRESH_MS);
  const list = found.data?.data;
  const isEmpty = list?.length === 0;
  const create = <CreateButton scope="manage" to="/dashboard/drip/new" text={t.drip.newChain} />;
  return (
    <>
      <div class="heading">
        <Heading title={t.drip.chains} />
        {!isEmpty && create}
      </div>
      <p class="lead">{t.drip.chainsLead}</p>
      <Problem error={found.error} />
      {isEmpty && (
        <Empty icon="branch" title={t.drip.noChains} text={t.drip.noChainsText}>
          {create}
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table
          label={t.drip.chains}
          columns={[t.drip.ruleName, t.drip.triggerLabel, t.drip.versionColumn, t.status]}
        >
          {list.map((chain) => (
            <ChainRow key={chain.drip_id} chain={chain} />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </>
  );
}

function ChainRow({ chain }: { chain: Chain }) {
  const state = chainState(chain);
  return (
    <tr>
      <Cell label={t.drip.ruleName} lead>
        <Link to={`/dashboard/drip/${chain.drip_id}`} class="clip wide" title={chain.name}>
          {chain.name}
        </Link>
      </Cell>
      <Cell label={t.drip.triggerLabel}>
        <Clip wide>{triggerText(chain)}</Clip>
      </Cell>
      <Cell label={t.drip.versionColumn}>{number(chain.version)}</Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
      </Cell>
    </tr>
  );
}

export function OpenChain({ id }: { id: string }) {
  const found = useResource(() => api.chain(id), id, REFRESH_MS);
  const stats = useResource(() => api.chainStats(id), id, REFRESH_MS);
  const [error, setError] = useState<Error | null>(null);
  const [removing, setRemoving] = useState(false);
  const chain = found.data;
  if (!chain) return <Problem error={found.error} />;
  const state = chainState(chain);
  const isActive = chain.status === 'active';
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/drip', text: t.drip.chains }]} />
      <div class="heading">
        <Heading title={chain.name} />
        <Badge tone={state.tone}>{state.text}</Badge>
        {can('manage') && (
          <span class="actions">
            <ActionButton
              act={() => api.changeChain(id, { status: isActive ? 'paused' : 'active' }).then(found.reload)}
              onError={setError}
            >
              {isActive ? t.drip.pauseChain : t.drip.activate}
            </ActionButton>
            <Link to={`/dashboard/drip/${id}/edit`} class="btn">
              {t.edit}
            </Link>
            <button type="button" class="btn" onClick={() => setRemoving(true)}>
              {t.delete}
            </button>
          </span>
        )}
      </div>
      <p class="lead">
        {triggerText(chain)} · {t.drip.reentries[chain.reentry]} · {t.drip.chainVersion(chain.version)}
        {chain.exit_on && (
          <>
            <br />
            {t.drip.exitsOn(rulesText(chain.exit_on))}
          </>
        )}
      </p>
      <Problem error={error ?? stats.error} />
      {stats.data && <Totals stats={stats.data} />}
      <section class="panel">
        <h2>{t.drip.steps}</h2>
        <ChainResults steps={chain.steps} stats={stats.data} />
      </section>
      <Enrolments id={id} isActive={isActive} steps={chain.steps} />
      {removing && (
        <ConfirmDialog
          title={t.drip.removeChainTitle(chain.name)}
          text={t.drip.removeChainText}
          confirm={t.delete}
          dismiss={t.goBack}
          act={async () => {
            await api.removeChain(id);
            go('/dashboard/drip');
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

function Totals({ stats }: { stats: ChainStats }) {
  const figures = [
    { title: t.drip.enrolled, count: stats.enrolled },
    ...(['active', 'completed', 'exited', 'cancelled'] as const).map((status) => ({
      title: t.drip.enrolmentTotals[status],
      count: stats[status],
    })),
  ];
  return (
    <dl class="panel facts chain-totals">
      {figures.map(({ title, count }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{number(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Enrolments({ id, isActive, steps }: { id: string; isActive: boolean; steps: ChainStep[] }) {
  const pages = usePages();
  const filters = useFilters(['status'] as const);
  const { status } = filters.values;
  const [leaving, setLeaving] = useState<ListedEnrolment | null>(null);
  const found = useResource(
    () => api.enrolments(id, { status, cursor: pages.cursor }),
    `${id} ${status} ${pages.cursor ?? ''}`,
    REFRESH_MS,
  );
  const list = found.data?.data;
  const known = useSubscribers(list?.map(({ subscriber_id }) => subscriber_id) ?? []);
  return (
    <>
      <h2>{t.drip.enrolments}</h2>
      {isActive && can('send') && <EnrolForm id={id} onEnrolled={found.reload} />}
      <div class="filters">
        <StatusSelect
          states={t.drip.enrolmentStates}
          value={status}
          onChange={(value) => filters.set('status', value)}
        />
      </div>
      <Problem error={found.error} />
      {list?.length === 0 && filters.isFiltered && (
        <NoMatch icon="users" title={t.drip.noEnrolmentsMatch} filters={filters} />
      )}
      {list?.length === 0 && !filters.isFiltered && <Empty icon="users" title={t.drip.noEnrolments} />}
      {list && list.length > 0 && (
        <Table
          label={t.drip.enrolments}
          columns={[
            t.subscriber,
            t.status,
            t.drip.currentStep,
            t.drip.goesOn,
            { title: t.drip.enteredAt, givesWay: 'late' },
            `!${t.actions}`,
          ]}
        >
          {list.map((enrolment) => (
            <EnrolmentRow
              key={enrolment.enrolment_id}
              enrolment={enrolment}
              username={known.found.get(enrolment.subscriber_id)?.username ?? null}
              step={steps.find(({ id: step }) => step === enrolment.step_id)}
              onLeave={() => setLeaving(enrolment)}
            />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {leaving && (
        <ConfirmDialog
          title={t.drip.cancelEnrolmentTitle}
          text={t.drip.cancelEnrolmentText}
          confirm={t.drip.cancelEnrolment}
          dismiss={t.goBack}
          act={async () => {
            await api.cancelEnrolment(id, leaving.enrolment_id);
            setLeaving(null);
            await found.reload();
          }}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}

function EnrolmentRow(props: {
  enrolment: ListedEnrolment;
  username: string | null;
  /** Unknown where it is a step of an earlier version. */
  step: ChainStep | undefined;
  onLeave: () => void;
}) {
  const { enrolment, username, step, onLeave } = props;
  const state = enrolmentState(enrolment);
  const { reason } = enrolment;
  return (
    <tr>
      <Cell label={t.subscriber} lead>
        <Link to={`/dashboard/subscribers/${enrolment.subscriber_id}`} class="clip">
          <bdi>{enrolment.first_name}</bdi>
        </Link>{' '}
        {username && <span class="hint clip">@{username}</span>}
      </Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>{' '}
        {reason && (
          <span class="hint">
            {t.drip.enrolmentReasons[reason as keyof typeof t.drip.enrolmentReasons] ?? reason}
          </span>
        )}
      </Cell>
      <Cell label={t.drip.currentStep}>
        {step ? <Clip wide>{stepLine(step)}</Clip> : (enrolment.step_id ?? <None />)}
      </Cell>
      <Cell label={t.drip.goesOn}>{enrolment.next_at ? <Time at={enrolment.next_at} /> : <None />}</Cell>
      <Cell label={t.drip.enteredAt} givesWay="late">
        <Time at={enrolment.started_at} />
      </Cell>
      <ActionCell>
        {enrolment.status === 'active' && can('send') && (
          <button type="button" class="btn small" onClick={onLeave}>
            {t.drip.cancelEnrolment}
          </button>
        )}
      </ActionCell>
    </tr>
  );
}

function EnrolForm({ id, onEnrolled }: { id: string; onEnrolled: () => Promise<void> }) {
  const [subscriber, setSubscriber] = useState('');
  const form = useForm(['subscriber_id'], async () => {
    await api.enrol(id, subscriber);
    toast(t.drip.enrolledOne);
    setSubscriber('');
    await onEnrolled();
  });
  return (
    <form class="inline-form" {...form.attributes}>
      <Field label={t.drip.addSubscriber} error={form.problemOf('subscriber_id')}>
        {(attributes) => (
          <SubscriberPicker attributes={attributes} value={subscriber} onChange={setSubscriber} />
        )}
      </Field>
      <button type="submit" class="btn" disabled={form.busy || subscriber === ''}>
        {t.drip.enrol}
      </button>
      <Problem error={form.error} />
    </form>
  );
}
