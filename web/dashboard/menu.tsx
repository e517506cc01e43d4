import { useEffect, useRef } from 'preact/hooks';
import type { Scope } from '../../src/base/contract/scopes';
import type { IconName } from '../shared/icons';
import { can } from './access';
import { Icon } from './elements';
import { helpdesk } from './helpdesk-api';
import { useResource } from './resource';
import { Link } from './router';
import { t } from './texts';

export interface MenuPage {
  path: string;
  title: string;
  icon: IconName;
  /** Shown to those who may do this. Default: everyone. */
  scope?: Scope;
  /** What is counted beside its title. */
  count?: 'new_tickets';
  /** Pages that belong to it and stand beside it as tabs. It is the first of them. */
  tabs?: { path: string; title: string }[];
}

interface MenuGroup {
  title: string;
  pages: MenuPage[];
}

export function overviewPage(): MenuPage {
  return { path: '/dashboard', title: t.overview, icon: 'home' };
}

/** The pages by what they are about. */
function groups(): MenuGroup[] {
  return [
    {
      title: t.menuLogin,
      pages: [
        { path: '/dashboard/logins', title: t.logins, icon: 'login' },
        { path: '/dashboard/oidc', title: t.oidc, icon: 'identification', scope: 'manage' },
      ],
    },
    {
      title: t.webhooks,
      pages: [
        { path: '/dashboard/webhooks', title: t.endpoints, icon: 'bolt' },
        { path: '/dashboard/deliveries', title: t.deliveries, icon: 'list' },
      ],
    },
    {
      title: t.menuMessaging,
      pages: [
        { path: '/dashboard/inbox', title: t.inbox, icon: 'inbox', count: 'new_tickets' },
        { path: '/dashboard/subscribers', title: t.subscribers, icon: 'users' },
        {
          path: '/dashboard/broadcasts',
          title: t.menuMessages,
          icon: 'megaphone',
          tabs: [
            { path: '/dashboard/broadcasts', title: t.broadcasts },
            { path: '/dashboard/scheduled', title: t.scheduled },
            { path: '/dashboard/recurring', title: t.recurring },
            { path: '/dashboard/batches', title: t.batches },
            { path: '/dashboard/messages', title: t.results.messages },
          ],
        },
        { path: '/dashboard/drip', title: t.drip.chains, icon: 'branch' },
        { path: '/dashboard/templates', title: t.templates, icon: 'document' },
        { path: '/dashboard/forms', title: t.forms, icon: 'clipboardList' },
        { path: '/dashboard/events', title: t.trackedEvents, icon: 'cursor' },
        { path: '/dashboard/links', title: t.links, icon: 'link' },
        { path: '/dashboard/labels', title: t.labels, icon: 'tag' },
      ],
    },
    {
      title: t.menuProject,
      pages: [
        {
          path: '/dashboard/settings',
          title: t.settings,
          icon: 'cog',
          scope: 'manage',
          tabs: [
            { path: '/dashboard/settings', title: t.sections.general },
            { path: '/dashboard/settings/login-page', title: t.loginPage },
            { path: '/dashboard/settings/defaults', title: t.sections.defaults },
            { path: '/dashboard/settings/usage', title: t.sections.usage },
          ],
        },
        { path: '/dashboard/channels', title: t.channels, icon: 'chat', scope: 'manage' },
        { path: '/dashboard/keys', title: t.apiKeys, icon: 'key', scope: 'admin' },
        { path: '/dashboard/team', title: t.team, icon: 'users', scope: 'admin' },
        { path: '/dashboard/audit', title: t.audit, icon: 'list', scope: 'admin' },
      ],
    },
  ];
}

/** What the person may open, by groups. */
export function menuGroups(): MenuGroup[] {
  return groups()
    .map((group) => ({
      ...group,
      pages: group.pages.filter(({ scope }) => scope === undefined || can(scope)),
    }))
    .filter(({ pages }) => pages.length > 0);
}

function isAt(path: string, page: string): boolean {
  return page === '/dashboard' ? path === page : path === page || path.startsWith(`${page}/`);
}

function isCurrent(path: string, page: MenuPage): boolean {
  return [page, ...(page.tabs ?? [])].some((each) => isAt(path, each.path));
}

export function Menu({ path, onLeave }: { path: string; onLeave: () => void }) {
  const entry = (page: MenuPage) => (
    <Link key={page.path} to={page.path} current={isCurrent(path, page)} onClick={onLeave}>
      <Icon name={page.icon} /> {page.title}
      {page.count && <NewTickets />}
    </Link>
  );
  return (
    <nav aria-label={t.navigation}>
      <div class="nav-group">{entry(overviewPage())}</div>
      {menuGroups().map((group, index) => (
        <div key={group.title} class="nav-group" role="group" aria-labelledby={`menu-${index}`}>
          <p id={`menu-${index}`} class="nav-title">
            {group.title}
          </p>
          {group.pages.map(entry)}
        </div>
      ))}
    </nav>
  );
}

/** Follows the stream that the lists share, so that an open page asks only after a change. */
function NewTickets() {
  const counts = useResource(helpdesk.counts, 'counts', 'tickets');
  const count = counts.data?.new ?? 0;
  if (count === 0) return null;
  return (
    <span class="menu-count figure" title={t.newTickets(count)}>
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span class="visually-hidden">{t.newTickets(count)}</span>
    </span>
  );
}

/** On a phone a row of tabs scrolls: the current one is in sight, also after the phone was turned. */
export function useCurrentInSight(current: string) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = tabs.current;
    const tab = row?.querySelector<HTMLElement>('[aria-current]');
    if (!row || !tab) return;
    const show = () => {
      row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
    };
    show();
    const observer = new ResizeObserver(show);
    observer.observe(row);
    return () => observer.disconnect();
  }, [current]);
  return tabs;
}

/** The lists that belong to one entry of the menu. Pages below a list have their breadcrumbs instead. */
export function Tabs({ path }: { path: string }) {
  const page = menuGroups()
    .flatMap(({ pages }) => pages)
    .find(({ tabs }) => tabs?.some((tab) => tab.path === path));
  const tabs = useCurrentInSight(path);
  if (!page?.tabs) return null;
  return (
    <nav ref={tabs} class="page-tabs" aria-label={page.title}>
      {page.tabs.map((tab) => (
        <Link key={tab.path} to={tab.path} current={tab.path === path}>
          {tab.title}
        </Link>
      ))}
    </nav>
  );
}
