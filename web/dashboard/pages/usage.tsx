import { limits, teamLimits } from '../../../src/base/contract/limits';
import { can } from '../access';
import { api, type ProjectView, type UsageView } from '../api';
import { Cell, LoginChart, Problem, Table } from '../elements';
import { capitalised, monthAndYear, number, shortDateAndTime } from '../format';
import { formsApi } from '../forms/api';
import { useResource } from '../resource';
import { Link } from '../router';
import { t } from '../texts';

/** What of a limited kind the project has; `null` allows any number. */
interface Use {
  title: string;
  used: number;
  allowed: number | null;
  to: string;
}

async function readUses(project: ProjectView): Promise<Use[]> {
  const [endpoints, clients, templates, forms, tags, permissions, members] = await Promise.all([
    api.endpoints(),
    api.oidcClients(),
    api.allTemplates(),
    formsApi.list(),
    api.labels('tags'),
    api.labels('permissions'),
    can('admin') ? api.members() : null,
  ]);
  const of = (title: string, { data }: { data: unknown[] }, allowed: number | null, page: string): Use => ({
    title,
    used: data.length,
    allowed,
    to: `/dashboard/${page}`,
  });
  return [
    of(t.sections.endpoints, endpoints, limits.webhookEndpoints, 'webhooks'),
    ...(members ? [of(t.sections.members, members, teamLimits[project.plan].members, 'team')] : []),
    of(t.sections.clients, clients, limits.oidcClients, 'oidc'),
    of(t.sections.templates, templates, limits.templates, 'templates'),
    of(t.forms, forms, limits.forms, 'forms'),
    of(t.sections.tags, tags, limits.tagsPerProject, 'labels'),
    of(t.sections.permissions, permissions, limits.permissionsPerProject, 'labels'),
  ];
}

/** The plan, its credits month by month, and how much of each limit is taken. */
export function Usage({ project }: { project: ProjectView }) {
  const usage = useResource(api.usage, 'usage');
  const uses = useResource(() => readUses(project), 'uses');
  return (
    <div class="usage">
      <Problem error={usage.error ?? uses.error} />
      {usage.data && <Credits usage={usage.data} />}
      {usage.data && <Months usage={usage.data} />}
      {uses.data && <Limits uses={uses.data} />}
    </div>
  );
}

function Credits({ usage }: { usage: UsageView }) {
  return (
    <section class="panel" aria-labelledby="credits-title">
      <h2 id="credits-title">{t.sections.month(monthAndYear(usage.month))}</h2>
      {usage.billing_blocked && <p class="problem">{t.sections.blocked}</p>}
      <dl class="facts">
        <dt>{t.plan}</dt>
        <dd>{capitalised(usage.plan)}</dd>
        <dt>{t.sections.fromPlan}</dt>
        <dd>
          <Meter used={usage.plan_logins_used} allowed={usage.plan_logins} title={t.sections.fromPlan} />
        </dd>
        <dt>{t.sections.packs}</dt>
        <dd class="figure">{number(usage.purchased_credits)}</dd>
        {usage.grace_ends_at && (
          <>
            <dt>{t.sections.grace}</dt>
            <dd>{shortDateAndTime(usage.grace_ends_at)}</dd>
          </>
        )}
      </dl>
      <LoginChart days={usage.days} />
    </section>
  );
}

function Months({ usage }: { usage: UsageView }) {
  if (usage.months.length === 0) return null;
  return (
    <section>
      <h2>{t.sections.months}</h2>
      <Table label={t.sections.months} columns={[t.sections.monthColumn, t.sections.used]}>
        {usage.months.map(({ month, plan_logins_used: used }) => (
          <tr key={month}>
            <Cell label={t.sections.monthColumn} lead>
              {capitalised(monthAndYear(month))}
            </Cell>
            <Cell label={t.sections.used} class="figure">
              {number(used)}
            </Cell>
          </tr>
        ))}
      </Table>
      <p class="hint">{t.sections.monthsHint}</p>
    </section>
  );
}

function Limits({ uses }: { uses: Use[] }) {
  return (
    <section>
      <h2>{t.sections.limits}</h2>
      <Table label={t.sections.limits} columns={[t.sections.limit, t.sections.used]}>
        {uses.map(({ title, used, allowed, to }) => (
          <tr key={title}>
            <Cell label={t.sections.limit} lead>
              <Link to={to}>{title}</Link>
            </Cell>
            <Cell label={t.sections.used}>
              {allowed === null ? (
                t.sections.unlimited(number(used))
              ) : (
                <>
                  <Meter used={used} allowed={allowed} title={title} />{' '}
                  {used >= allowed && <span class="bad-text">{t.sections.limitReached}</span>}
                </>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
      <p class="hint">
        {t.sections.rates}{' '}
        <a href={`${t.docsStart}/limits`} target="_blank" rel="noopener">
          {t.sections.allLimits}
        </a>
      </p>
    </section>
  );
}

function Meter({ used, allowed, title }: { used: number; allowed: number; title: string }) {
  return (
    <span class="use">
      <meter min={0} max={allowed} high={allowed * 0.8} optimum={0} value={used} aria-label={title} />
      <span class="figure">{t.sections.of(number(used), number(allowed))}</span>
    </span>
  );
}
