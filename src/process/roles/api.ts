import type { Context, Middleware } from 'koa';
import { platforms } from '../../domains/bots';
import { webhookIntake } from '../../domains/bots/webhook-intake';
import { createBatchRoutes } from '../../domains/broadcasts/batch/routes';
import { createBroadcastRoutes } from '../../domains/broadcasts/routes';
import { createChannelRoutes, createMessengerRoutes } from '../../domains/projects/channels/routes';
import { createRecurringRoutes } from '../../domains/recurring/routes';
import { createScheduledRoutes } from '../../domains/scheduled/routes';
import { KIB } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { createDripRoutes } from '../../domains/drip/routes';
import { createAdmission } from '../../domains/events';
import { createEventRoutes } from '../../domains/events/routes';
import { createStreamRoutes } from '../../domains/events/stream-routes';
import { createTrackedEventRoutes } from '../../domains/subscribers/tracked/routes';
import { createExportRoute } from '../../domains/exports';
import { submissionExport } from '../../domains/forms/export';
import { createSubmissionLimit, formGate } from '../../domains/forms/gate';
import { createOpenForms, type OpenForms } from '../../domains/forms/open-forms';
import { formPage } from '../../domains/forms/page';
import { createPublicFormRoutes } from '../../domains/forms/public-routes';
import { createFormRoutes } from '../../domains/forms/routes';
import { addressLimit, createAddressCount } from '../../base/http/address-limit';
import { createApp } from '../../base/http/app';
import { docsPages } from '../../site/docs';
import { errorPage, wantsPage } from '../../base/http/error-page';
import { frontPage } from '../../site/front-page';
import type { Part } from '../../base/http/health';
import { requireActive, type Authenticate, type GuardDeps } from '../../base/http/guard';
import { createHealthRoutes } from '../../base/http/health-routes';
import { createRunOnce } from '../../base/http/idempotency';
import { createRequestCounts, createRequestLimit } from '../../base/http/project-limit';
import type { EarlyCounts } from '../../base/http/rate-limiter';
import type { Route } from '../../base/http/route';
import { localUrl, startServer } from '../../base/http/server';
import { webFiles } from '../../base/http/web-files';
import { ticketExport } from '../../domains/helpdesk/export';
import { createHelpdeskRoutes } from '../../domains/helpdesk/routes';
import { loginPage } from '../../domains/login/hosted-page';
import { createHostedRoutes } from '../../domains/login/hosted-routes';
import { loginExport } from '../../domains/login/export';
import { createSessionListRoutes } from '../../domains/login/log-routes';
import { createRequestRoutes } from '../../domains/login/request-routes';
import { createAuthRoutes } from '../../domains/login/routes';
import { createSessionWaiter, type SessionWaiter } from '../../domains/login/session-waiter';
import { createSessionStarter } from '../../domains/login/workflow-client';
import { packageVersion } from '../../base/lib/package-version';
import { createOwnRequests } from '../../base/http/own-requests';
import { mcpEndpoint } from '../../site/mcp/endpoint';
import { createOtpRoutes } from '../../domains/messages/otp-routes';
import { createMessageLogRoutes } from '../../domains/messages/log-routes';
import { createSendRoutes } from '../../domains/messages/routes';
import { createAuditedRequests } from '../../domains/projects/audit';
import { createAuditRoutes } from '../../domains/projects/audit-routes';
import { createBearerAuthentication } from '../../domains/projects/authenticate';
import { brandFiles } from '../../domains/projects/brand-files';
import { createDashboardRoutes } from '../../domains/projects/dashboard-routes';
import { createAuthentication, sessionHash } from '../../domains/projects/dashboard-session';
import { createKeyRoutes } from '../../domains/projects/key-routes';
import { createProjectRoutes } from '../../domains/projects/routes';
import { createOidc } from '../../domains/oidc';
import { createOidcRoutes } from '../../domains/oidc/routes';
import { subscriberExport } from '../../domains/subscribers/export';
import { createImportRoutes } from '../../domains/subscribers/import-routes';
import { createLabelRoutes } from '../../domains/subscribers/label-routes';
import { createLinkRoutes } from '../../domains/subscribers/link-routes';
import { createMiniAppRoutes } from '../../domains/subscribers/mini-app/routes';
import { miniAppLimit } from '../../domains/subscribers/mini-app/limit';
import { miniAppPage } from '../../domains/subscribers/mini-app/page';
import { createSubscriberRoutes } from '../../domains/subscribers/routes';
import { createTeamRoutes } from '../../domains/projects/team/routes';
import { createSignInRoutes } from '../../domains/login/dashboard/routes';
import { createTemplateRoutes } from '../../domains/templates/routes';
import { createTextRoutes } from '../../domains/templates/text-routes';
import { createDeliveryRoutes } from '../../domains/webhooks/delivery-routes';
import { deliveryExport } from '../../domains/webhooks/export';
import { createWebhookRoutes } from '../../domains/webhooks/routes';
import { botWebhookSecret, createBotIntake } from './bots';
import { readinessParts } from './readiness';

export interface RunningApi {
  port: number;
  /** Accepts no more connections and finishes the requests that arrive on open ones. */
  stop(): Promise<void>;
}

/** What routes share with the pages and the guard of the same process. */
interface Shared {
  parts: Part[];
  waiter: SessionWaiter;
  stopping?: AbortSignal;
  openForms?: OpenForms;
  counts?: EarlyCounts;
}

/** All API routes, in the order of the reference page. */
export function createRoutes({ pools, ...rest }: Core, shared: Shared): Route[] {
  const core = { ...rest, pools, pool: pools.requests };
  const { parts, waiter } = shared;
  const { openForms = createOpenForms(core), counts = createRequestCounts() } = shared;
  const { stopping = new AbortController().signal } = shared;
  const login = { ...core, pool: pools.login };
  const identify = createAuthenticate(core);
  const authenticate: Authenticate = async (ctx) => requireActive(await identify(ctx));
  const starter = createSessionStarter(login);
  const admit = createAdmission(core.pool);
  return [
    ...forLogin(createAuthRoutes({ ...login, waiter, starter })),
    ...createSessionListRoutes(core),
    createExportRoute(core.pool, loginExport(core.config.HERALD_SUBSCRIBER_ID_FORMAT)),
    ...forLogin(createRequestRoutes({ ...login, waiter, starter })),
    ...forLogin(createHostedRoutes({ ...login, waiter })),
    ...createOidcRoutes(core),
    ...createSubscriberRoutes(core),
    ...createImportRoutes(core),
    ...createLinkRoutes(core),
    ...createLabelRoutes(core),
    ...createMiniAppRoutes(core),
    createExportRoute(core.pool, subscriberExport(core.config.HERALD_SUBSCRIBER_ID_FORMAT)),
    ...createSendRoutes(core),
    ...createTemplateRoutes(core),
    ...createBatchRoutes(core),
    ...createBroadcastRoutes(core),
    ...createScheduledRoutes(core),
    ...createRecurringRoutes(core),
    ...createDripRoutes(core),
    ...createFormRoutes({ ...core, openForms }),
    ...createPublicFormRoutes({ ...core, openForms }),
    createExportRoute(core.pool, submissionExport(core.config.HERALD_SUBSCRIBER_ID_FORMAT)),
    ...createTrackedEventRoutes({ ...core, admit }),
    ...createHelpdeskRoutes(core),
    createExportRoute(core.pool, ticketExport(core.config.HERALD_SUBSCRIBER_ID_FORMAT)),
    ...createMessageLogRoutes(core),
    ...createOtpRoutes(core),
    ...createStreamRoutes({ ...core, stopping }),
    ...createWebhookRoutes(core),
    ...createDeliveryRoutes(core),
    createExportRoute(core.pool, deliveryExport(core.pool)),
    ...createEventRoutes({ ...core, admit }),
    ...createProjectRoutes(core),
    ...createTextRoutes(core),
    ...createKeyRoutes(core),
    ...createChannelRoutes(core),
    ...createTeamRoutes(core),
    ...createAuditRoutes(core),
    ...createDashboardRoutes({ ...core, authenticate, countRequest: createRequestLimit(core.pool, counts) }),
    ...forLogin(createSignInRoutes({ ...login, waiter, starter })),
    ...createMessengerRoutes(),
    ...createHealthRoutes({ parts }),
  ];
}

function createAuthenticate(core: Core): Authenticate {
  return createAuthentication(core, createBearerAuthentication(core));
}

/** Their guard uses the connections that are kept for logins, as they do. */
function forLogin(routes: Route[]): Route[] {
  return routes.map((each) => ({ ...each, isLogin: true }));
}

/** What stands before each route, on the connections of its purpose. */
function guardDeps(core: Core, counts: EarlyCounts): GuardDeps {
  return {
    authenticate: createAuthenticate(core),
    countRequest: createRequestLimit(core.pool, counts),
    runOnce: createRunOnce(core),
    audited: createAuditedRequests(core.pool),
    checkResponses: core.config.NODE_ENV === 'test',
    keylessBodyBytes: core.config.HERALD_KEYLESS_BODY_KIB * KIB,
  };
}

/** `ownPages` come before all others. */
export async function startApi({ pools, ...rest }: Core, ownPages: Middleware[] = []): Promise<RunningApi> {
  const core: Core = { ...rest, pools, pool: pools.requests };
  const login: Core = { ...core, pool: pools.login };
  const { config, log, publicUrl } = core;
  const stopping = new AbortController();
  const docsUrl = () => `${publicUrl()}/docs/errors`;
  const waiter = createSessionWaiter(core.notifications);
  const openForms = createOpenForms(core);
  const counts = createRequestCounts();
  const parts = readinessParts(core);
  const routes = createRoutes(core, { parts, waiter, stopping: stopping.signal, openForms, counts });
  const countAddress = createAddressCount(core);
  const oidc = createOidc({ ...login, countAddress, starter: createSessionStarter(login) });
  const forms = { openForms, countAddress, countSubmission: createSubmissionLimit(core) };
  const uncounted = new Set(routes.filter(({ spec }) => spec.uncounted).map(({ spec }) => spec.path));
  const ownRequests = createOwnRequests();
  const guarded = guardDeps(core, counts);
  let port = 0;
  const ownUrl = () => localUrl(config.host, port);
  const hasSession = (ctx: Context) => sessionHash(ctx, publicUrl()) !== null;
  const app = createApp(
    {
      routes,
      pages: [
        // The first one: a flood that it refuses passes nothing else.
        formGate({ ...core, ...forms }),
        ...ownPages,
        docsPages({ routes, publicUrl, development: config.development }),
        frontPage({
          publicUrl,
          openSignup: config.HERALD_OPEN_SIGNUP,
          hasSession,
          messengers: platforms(),
        }),
        webFiles({ development: config.development, hasSession }),
        // These count requests by address themselves.
        formPage({ ...core, ...forms }),
        oidc.pages,
        mcpEndpoint({
          routes,
          authenticate: createBearerAuthentication(core),
          countRequest: guarded.countRequest,
          ownUrl,
          ownRequests,
          version: packageVersion(),
        }),
        botWebhooks(login),
        addressLimit(countAddress, uncounted),
        brandFiles(core),
        miniAppPage(),
        miniAppLimit(core),
        loginPage({ ...login, collectOutcome: oidc.collectOutcome }),
      ],
    },
    {
      ...guarded,
      login: guardDeps(login, counts),
      log,
      docsUrl,
      errorPage: (ctx, error) => (wantsPage(ctx) ? errorPage(ctx, error) : undefined),
      stopping: () => stopping.signal.aborted,
      trustedProxies: config.HERALD_TRUST_PROXY,
      ownRequests,
      httpsOnly: !config.development && publicUrl().startsWith('https:'),
    },
  );
  const server = await startServer({ app, host: config.host, port: config.PORT, docsUrl });
  port = server.port;
  return {
    port: server.port,
    async stop() {
      const stopped = server.stop(config.HERALD_SHUTDOWN_SECONDS * 1000);
      stopping.abort();
      waiter.stop();
      await stopped;
    },
  };
}

/** The endpoint for bot updates in webhook mode. It stores them; the bots role handles them. */
function botWebhooks(core: Core): Middleware {
  if (core.config.botUpdates !== 'webhook') return (_ctx, next) => next();
  return webhookIntake({
    intake: createBotIntake(core),
    async secretOf(channel, bot) {
      const { isRemoved } = await core.messengers.find(channel, bot);
      return isRemoved ? null : botWebhookSecret(core, channel, bot);
    },
  });
}
