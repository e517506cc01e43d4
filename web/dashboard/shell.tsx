import { useEffect, useState } from 'preact/hooks';
import type { IconName } from '../shared/icons';
import { api, type DashboardSession } from './api';
import { Icon } from './elements';
import { Batches } from './pages/batches';
import { Broadcasts } from './pages/broadcasts';
import { Deliveries } from './pages/deliveries';
import { DeliveryPage } from './pages/delivery';
import { EndpointPage } from './pages/endpoint';
import { Endpoints } from './pages/endpoints';
import { Keys } from './pages/keys';
import { Logins } from './pages/logins';
import { Overview } from './pages/overview';
import { RecurringPage } from './pages/recurring';
import { ScheduledPage } from './pages/scheduled';
import { Settings } from './pages/settings';
import { SubscriberPage } from './pages/subscriber';
import { Subscribers } from './pages/subscribers';
import { Templates } from './pages/templates';
import { useResource } from './resource';
import { Heading, Link, nameProject, usePath } from './router';
import { language, setLanguage, t } from './texts';

interface Section {
  path: string;
  title: string;
  icon: IconName;
}

const sections = (): Section[] => [
  { path: '/dashboard', title: t.overview, icon: 'home' },
  { path: '/dashboard/logins', title: t.logins, icon: 'login' },
  { path: '/dashboard/webhooks', title: t.webhooks, icon: 'bolt' },
  { path: '/dashboard/deliveries', title: t.deliveries, icon: 'list' },
  { path: '/dashboard/subscribers', title: t.subscribers, icon: 'users' },
  { path: '/dashboard/broadcasts', title: t.broadcasts, icon: 'megaphone' },
  { path: '/dashboard/batches', title: t.batches, icon: 'stack' },
  { path: '/dashboard/scheduled', title: t.scheduled, icon: 'calendar' },
  { path: '/dashboard/recurring', title: t.recurring, icon: 'repeat' },
  { path: '/dashboard/templates', title: t.templates, icon: 'document' },
  { path: '/dashboard/keys', title: t.apiKeys, icon: 'key' },
  { path: '/dashboard/settings', title: t.settings, icon: 'cog' },
];

export function Shell({ session, onSignedOut }: { session: DashboardSession; onSignedOut: () => void }) {
  const path = usePath().replace(/\/$/, '') || '/dashboard';
  const [menuOpen, setMenuOpen] = useState(false);
  const project = useResource(api.project, session.project_id);
  const name = project.data?.name;
  useEffect(() => {
    if (name) nameProject(name);
  }, [name]);
  const signOut = () => void api.signOut().then(onSignedOut, onSignedOut);
  const isCurrent = (section: Section) =>
    section.path === '/dashboard' ? path === section.path : path.startsWith(section.path);
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
          <nav aria-label={t.navigation}>
            {sections().map((section) => (
              <Link
                key={section.path}
                to={section.path}
                current={isCurrent(section)}
                onClick={() => setMenuOpen(false)}
              >
                <Icon name={section.icon} /> {section.title}
              </Link>
            ))}
          </nav>
          <div class="side-foot">
            <a href="/docs" target="_blank" rel="noopener">
              <Icon name="book" /> {t.docs}
            </a>
            <button type="button" onClick={signOut}>
              <Icon name="signOut" /> {t.signOut}
            </button>
            <LanguageSwitch />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Content path={path} session={session} onProjectChanged={() => void project.reload()} />
      </main>
    </div>
  );
}

/** Each language is named in itself. */
export function LanguageSwitch() {
  return (
    <div class="languages" role="group" aria-label={t.language}>
      {(
        [
          ['en', 'English'],
          ['ru', 'Русский'],
        ] as const
      ).map(([code, name]) => (
        <button
          key={code}
          type="button"
          lang={code}
          aria-pressed={language === code}
          onClick={() => setLanguage(code)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function Content(props: { path: string; session: DashboardSession; onProjectChanged: () => void }) {
  const [, , section, id] = props.path.split('/');
  if (!section) return <Overview />;
  if (section === 'webhooks') return id ? <EndpointPage key={id} id={id} /> : <Endpoints />;
  if (section === 'deliveries') {
    if (!id) return <Deliveries />;
    return <DeliveryPage key={id} id={id} workflowsUrl={props.session.temporal_ui_url} />;
  }
  if (section === 'logins') return <Logins />;
  if (section === 'subscribers') return id ? <SubscriberPage key={id} id={id} /> : <Subscribers />;
  if (section === 'broadcasts') return <Broadcasts isComposing={id === 'new'} />;
  if (section === 'batches') return <Batches />;
  if (section === 'scheduled') return <ScheduledPage isComposing={id === 'new'} />;
  if (section === 'recurring') return <RecurringPage open={id} />;
  if (section === 'templates') return <Templates open={id} />;
  if (section === 'keys') return <Keys />;
  if (section === 'settings') return <Settings onChanged={props.onProjectChanged} />;
  return (
    <>
      <Heading title={t.pageNotFound} />
      <p>
        <Link to="/dashboard">{t.goToOverview}</Link>
      </p>
    </>
  );
}
