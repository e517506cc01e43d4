import { useEffect, useState } from 'preact/hooks';
import { api, ApiError, listenForSignOut, type DashboardSession } from './api';
import { Broadcasts } from './pages/broadcasts';
import { DeliveryPage } from './pages/delivery';
import { EndpointPage } from './pages/endpoint';
import { Endpoints } from './pages/endpoints';
import { Keys } from './pages/keys';
import { Logins } from './pages/logins';
import { Settings } from './pages/settings';
import { SignIn } from './pages/sign-in';
import { Subscribers } from './pages/subscribers';
import { useResource } from './resource';
import { go, Link, usePath } from './router';

const sections = [
  { path: '/dashboard/webhooks', title: 'Webhooks' },
  { path: '/dashboard/logins', title: 'Logins' },
  { path: '/dashboard/subscribers', title: 'Subscribers' },
  { path: '/dashboard/broadcasts', title: 'Broadcasts' },
  { path: '/dashboard/keys', title: 'API keys' },
  { path: '/dashboard/settings', title: 'Settings' },
];

type SignedIn = DashboardSession | 'asking' | { over: string };

/** The sign-in page, or the page at the current path. */
export function App() {
  const [session, setSession] = useState<SignedIn>('asking');
  useEffect(() => {
    // A 401 on the first request means that no one was signed in: show no notice.
    api.session().then(
      (found) => {
        setSession(found);
        listenForSignOut((message) => setSession({ over: message }));
      },
      (error: unknown) => {
        const away = error instanceof ApiError && error.status !== 401;
        setSession({ over: away ? error.message : '' });
      },
    );
  }, []);
  if (session === 'asking') return <p class="asking">Loading…</p>;
  if ('over' in session) {
    return (
      <SignIn
        notice={session.over}
        onSignedIn={(found) => {
          setSession(found);
          listenForSignOut((message) => setSession({ over: message }));
        }}
      />
    );
  }
  return <Shell session={session} onSignedOut={() => setSession({ over: '' })} />;
}

function Shell({ session, onSignedOut }: { session: DashboardSession; onSignedOut: () => void }) {
  const path = usePath();
  const project = useResource(api.project, session.project_id);
  // Delivery pages belong to the Webhooks section.
  const place = path.replace('/dashboard/deliveries', '/dashboard/webhooks');
  const current = sections.find((section) => place.startsWith(section.path));
  const home = path === '/dashboard' || path === '/dashboard/';
  useEffect(() => {
    if (home) go('/dashboard/webhooks');
  }, [home]);
  useEffect(() => {
    document.title = `${current?.title ?? 'Dashboard'} · ${project.data?.name ?? 'Herald'}`;
  }, [current?.title, project.data?.name]);
  const signOut = () => void api.signOut().then(onSignedOut, onSignedOut);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Link to="/dashboard/webhooks" class="brand">
          <img src="/assets/icon.svg" alt="" width="28" height="28" /> Herald
        </Link>
        <span class="project">{project.data?.name}</span>
        <span class="spacer" />
        <a href="/docs" target="_blank" rel="noopener">
          Docs
        </a>
        <button type="button" class="plain" onClick={signOut}>
          Sign out
        </button>
      </header>
      <div class="columns">
        <nav class="side" aria-label="Dashboard">
          {sections.map((section) => (
            <Link key={section.path} to={section.path} current={section === current}>
              {section.title}
            </Link>
          ))}
        </nav>
        <main id="main" tabIndex={-1}>
          <Content path={path} session={session} onProjectChanged={() => void project.reload()} />
        </main>
      </div>
    </>
  );
}

function Content(props: { path: string; session: DashboardSession; onProjectChanged: () => void }) {
  const [, , section, id] = props.path.split('/');
  if (section === 'webhooks') return id ? <EndpointPage key={id} id={id} /> : <Endpoints />;
  if (section === 'deliveries' && id) {
    return <DeliveryPage key={id} id={id} workflowsUrl={props.session.temporal_ui_url} />;
  }
  if (section === 'logins') return <Logins />;
  if (section === 'subscribers') return <Subscribers />;
  if (section === 'broadcasts') return <Broadcasts />;
  if (section === 'keys') return <Keys />;
  if (section === 'settings') return <Settings onChanged={props.onProjectChanged} />;
  if (!section) return null;
  return (
    <>
      <h1>Page not found</h1>
      <p>
        <Link to="/dashboard/webhooks">Go to Webhooks</Link>
      </p>
    </>
  );
}
