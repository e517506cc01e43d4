import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Scope } from '../../src/base/contract/scopes';
import { AccountMenu } from './account-menu';
import { api, type DashboardSession } from './api';
import { AllowedPage, ConfirmDialog, Icon, Problem } from './elements';
import { BatchPage } from './pages/batch';
import { Batches } from './pages/batches';
import { Account } from './pages/account';
import { Audit } from './pages/audit';
import { BroadcastPage } from './pages/broadcast';
import { Broadcasts } from './pages/broadcasts';
import { Channels } from './pages/channels';
import { Composer, EditRecurring, EditScheduled } from './pages/composer';
import { Deliveries } from './pages/deliveries';
import { DeliveryPage } from './pages/delivery';
import { DripChains, OpenChain } from './pages/drip';
import { EditChain, NewChain } from './pages/drip-editor';
import { TrackedEvents } from './pages/events';
import { EndpointPage } from './pages/endpoint';
import { Endpoints } from './pages/endpoints';
import { ImportPage } from './pages/import';
import { Keys } from './pages/keys';
import { Labels } from './pages/labels';
import { Links } from './pages/links';
import { LoginPage } from './pages/login';
import { Logins } from './pages/logins';
import { MessagePage } from './pages/message';
import { Messages } from './pages/messages';
import { OidcClients } from './pages/oidc';
import { Overview } from './pages/overview';
import { OpenRecurring, RecurringMessages } from './pages/recurring';
import { ScheduledMessages } from './pages/scheduled';
import { Settings } from './pages/settings';
import { SubscriberPage } from './pages/subscriber';
import { Subscribers } from './pages/subscribers';
import { Team } from './pages/team';
import { OpenTemplate, TemplateEditor } from './pages/template-editor';
import { Templates } from './pages/templates';
import { later } from './later';
import { stopLive } from './live';
import { hasDrafts, removeDrafts } from './message/draft-storage';
import { Menu, Tabs } from './menu';
import { Palette, usePalette } from './palette';
import { useResource } from './resource';
import { enter, Heading, Link, nameProject, usePath } from './router';
import { t } from './texts';

/** The inbox has its own script: most people never open it. */
const Inbox = later(() => import('./inbox').then((pages) => pages.Inbox));
const InboxSettings = later(() => import('./inbox/settings').then((pages) => pages.InboxSettings));

const FIND_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

export interface ShellProps {
  session: DashboardSession;
  onSession: (session: DashboardSession) => void;
  onSignedOut: () => void;
}

export function Shell({ session, onSession, onSignedOut }: ShellProps) {
  const path = usePath().replace(/\/$/, '') || '/dashboard';
  const [menuOpen, setMenuOpen] = useState(false);
  const project = useResource(api.project, session.project_id ?? '');
  const name = project.data?.name;
  useEffect(() => {
    if (name) nameProject(name);
  }, [name]);
  // On a low screen the list of pages scrolls, and the current one stays in sight.
  useEffect(() => {
    const current = document.querySelector<HTMLElement>('#navigation [aria-current]');
    if (current) keepInSight(current);
  }, [path]);
  const palette = usePalette();
  const leaveMenu = () => setMenuOpen(false);
  const [isAsking, setAsking] = useState(false);
  const signOut = async () => {
    stopLive();
    removeDrafts();
    await api.signOut().then(onSignedOut, onSignedOut);
  };
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {t.skip}
      </a>
      <header class="side-bar">
        <div class="side-top">
          <Link to="/dashboard" class="brand">
            <img src="/assets/icon.svg" alt="Herald" width="24" height="24" />
            <span class="project" title={name ?? ''}>
              {name ?? 'Herald'}
            </span>
          </Link>
          <button
            type="button"
            class="btn quiet menu-button"
            aria-expanded={menuOpen}
            aria-controls="navigation"
            onClick={() => setMenuOpen(!menuOpen)}
          >
            <Icon name={menuOpen ? 'xMark' : 'bars'} />
            <span class="visually-hidden">{t.menu}</span>
          </button>
        </div>
        <div id="navigation" class={menuOpen ? 'side-content open' : 'side-content'}>
          {session.projects.length > 1 && <ProjectSwitch session={session} onSession={onSession} />}
          <button type="button" class="find" onClick={palette.open}>
            <Icon name="search" small /> {t.find} <kbd>{FIND_KEYS}</kbd>
          </button>
          <Menu path={path} onLeave={leaveMenu} />
          <div class="side-foot">
            <a href={t.docsStart} target="_blank" rel="noopener">
              <Icon name="book" /> {t.docs}
            </a>
            <AccountMenu
              session={session}
              onLeave={leaveMenu}
              onSignOut={() => (hasDrafts() ? setAsking(true) : void signOut())}
            />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Tabs path={path} />
        <Content path={path} session={session} onProjectChanged={() => void project.reload()} />
      </main>
      {isAsking && (
        <ConfirmDialog
          title={t.signOutTitle}
          text={t.signOutText}
          confirm={t.signOut}
          act={signOut}
          onClose={() => setAsking(false)}
        />
      )}
      {palette.isOpen && <Palette onClose={palette.close} onLeave={leaveMenu} />}
    </div>
  );
}

/** Not by `scrollIntoView`, after which the first Tab would begin there instead of at the skip link. */
function keepInSight(entry: HTMLElement): void {
  const list = entry.closest('nav');
  if (!list) return;
  const [inner, outer] = [entry.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}

function ProjectSwitch({ session, onSession }: Pick<ShellProps, 'session' | 'onSession'>) {
  const [error, setError] = useState<Error | null>(null);
  const change = async (select: HTMLSelectElement) => {
    setError(null);
    try {
      const next = await api.switchProject(select.value);
      // A draft stays under its project.
      enter('/dashboard');
      onSession(next);
    } catch (problem) {
      select.value = session.project_id ?? '';
      setError(problem as Error);
    }
  };
  return (
    <label class="project-switch">
      <span class="visually-hidden">{t.switchProject}</span>
      <select value={session.project_id ?? ''} onChange={(event) => void change(event.currentTarget)}>
        {session.projects.map(({ project_id, name }) => (
          <option key={project_id} value={project_id}>
            {name}
          </option>
        ))}
      </select>
      <Problem error={error} />
    </label>
  );
}

/** The pages of forms have their own script. */
const Forms = later(() => import('./forms/list').then((pages) => pages.Forms));
const FormPage = later(() => import('./forms/form-page').then((pages) => pages.FormPage));
const NewForm = later(() => import('./forms/builder').then((pages) => pages.NewForm));
const EditForm = later(() => import('./forms/builder').then((pages) => pages.EditForm));

function Content(props: { path: string; session: DashboardSession; onProjectChanged: () => void }) {
  const [, , section, id, action] = props.path.split('/');
  const only = (scope: Scope, page: ComponentChildren, list?: string) => (
    <AllowedPage
      scope={scope}
      byKey={props.session.role === null}
      list={list === undefined ? undefined : { to: `/dashboard/${section}`, text: list }}
    >
      {page}
    </AllowedPage>
  );
  if (!section) return <Overview />;
  if (section === 'webhooks') return id ? <EndpointPage key={id} id={id} /> : <Endpoints />;
  if (section === 'deliveries') {
    if (!id) return <Deliveries workflowsUrl={props.session.temporal_ui_url} />;
    return <DeliveryPage key={id} id={id} workflowsUrl={props.session.temporal_ui_url} />;
  }
  if (section === 'logins') return id ? <LoginPage key={id} id={id} /> : <Logins />;
  if (section === 'messages') return id ? <MessagePage key={id} id={id} /> : <Messages />;
  if (section === 'subscribers') {
    if (id === 'import') return only('manage', <ImportPage />, t.subscribers);
    return id ? <SubscriberPage key={id} id={id} /> : <Subscribers />;
  }
  if (section === 'inbox') {
    return id === 'settings' ? only('manage', <InboxSettings />, t.inbox) : <Inbox id={id} />;
  }
  if (section === 'events') return <TrackedEvents />;
  if (section === 'links') return <Links />;
  if (section === 'labels') return <Labels />;
  if (section === 'broadcasts') {
    if (id === 'new') return only('send', <Composer when="now" />, t.broadcasts);
    return id ? <BroadcastPage key={id} id={id} /> : <Broadcasts />;
  }
  if (section === 'oidc') return only('manage', <OidcClients />);
  if (section === 'batches') return id ? <BatchPage key={id} id={id} /> : <Batches />;
  if (section === 'scheduled') {
    if (id === 'new') return only('send', <Composer when="at" />, t.scheduled);
    return id ? only('send', <EditScheduled key={id} id={id} />, t.scheduled) : <ScheduledMessages />;
  }
  if (section === 'recurring') {
    if (id === 'new') return only('send', <Composer when="repeat" />, t.recurring);
    if (id && action === 'edit') return only('send', <EditRecurring key={id} id={id} />, t.recurring);
    return id ? <OpenRecurring key={id} id={id} /> : <RecurringMessages />;
  }
  if (section === 'drip') {
    if (id === 'new') return only('manage', <NewChain />, t.drip.chains);
    if (id && action === 'edit') return only('manage', <EditChain key={id} id={id} />, t.drip.chains);
    return id ? <OpenChain key={id} id={id} /> : <DripChains />;
  }
  if (section === 'templates') {
    if (id === 'new') return only('manage', <TemplateEditor />, t.templates);
    return id ? <OpenTemplate key={id} id={decodeURIComponent(id)} /> : <Templates />;
  }
  if (section === 'forms') {
    if (id === 'new') return only('manage', <NewForm />, t.forms);
    if (id && action === 'edit') return only('manage', <EditForm key={id} id={id} />, t.forms);
    return id ? <FormPage key={id} id={id} isShared={action === 'share'} /> : <Forms />;
  }
  if (section === 'channels') return only('manage', <Channels />);
  if (section === 'account') return <Account />;
  if (section === 'keys') return only('admin', <Keys />);
  if (section === 'team') return only('admin', <Team session={props.session} />);
  if (section === 'audit') return only('admin', <Audit />);
  if (section === 'settings') {
    return only('manage', <Settings key={id} section={id} onChanged={props.onProjectChanged} />);
  }
  return (
    <>
      <Heading title={t.pageNotFound} />
      <p>
        <Link to="/dashboard">{t.goToOverview}</Link>
      </p>
    </>
  );
}
