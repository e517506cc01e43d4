import type pg from 'pg';
import type { Config } from '../../base/config';
import { KIB, limits, plans } from '../../base/contract/limits';
import { routesOf } from '../../base/http/route';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import {
  logoSchema,
  ownProjectChangesSchema,
  projectSchema,
  usageSchema,
  type Brand,
  type ProjectView,
  type Project,
} from './contract';
import { changeProject, prepareBrand } from './change-project';
import { uploadedLogo } from './fetch-logo';
import { logoTypes } from './logo-image';
import { findBrand } from './queries/brands';
import { isBillingBlocked } from './queries/credits';
import { findProject, type ProjectChanges } from './queries/projects';
import { loginsByDay, planLoginsByMonth, readMonthUsage } from './queries/usage';

const route = routesOf('Project');

export function createProjectRoutes({
  pool,
  config,
}: {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_GRACE_HOURS' | 'allowLocalWebhooks'>;
}) {
  const present = async (project: Project) => presentProject(project, await findBrand(pool, project.id));

  return [
    route(
      {
        method: 'GET',
        path: '/v1/project',
        summary: 'Get the project',
        response: projectSchema,
      },
      // Read again, because the authenticated project may come from a half-second-old cache.
      async ({ project }) => present((await findProject(pool, project.id)) ?? project),
    ),
    route(
      {
        method: 'PATCH',
        path: '/v1/project',
        summary: 'Update the project',
        description: 'Every field is optional. The operator sets the plan and the limits.',
        body: ownProjectChangesSchema,
        response: projectSchema,
        errors: ['invalid_url'],
      },
      async ({ project, body: { brand, ...fields } }) => {
        const given = Object.entries(fields).filter(([, value]) => value !== undefined);
        const changes = Object.fromEntries(given) as ProjectChanges;
        const brandChanges = brand && (await prepareBrand(brand, { allowLocal: config.allowLocalWebhooks }));
        return present((await changeProject(pool, project.id, changes, brandChanges)) ?? project);
      },
    ),
    route(
      {
        method: 'PUT',
        path: '/v1/project/logo',
        summary: 'Upload the logo',
        description: `The body is a PNG, JPEG or WebP image of up to ${limits.uploadedLogoBytes / KIB} KiB and ${limits.logoPixels} × ${limits.logoPixels} pixels. It replaces a logo that was set by its URL; \`brand.logo_url: null\` in \`PATCH /v1/project\` removes it.`,
        body: logoSchema,
        file: { types: logoTypes, maxBytes: limits.uploadedLogoBytes },
        response: projectSchema,
      },
      async ({ project, body }) =>
        present(
          (await changeProject(pool, project.id, {}, { logo: uploadedLogo(body as Buffer) })) ?? project,
        ),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/usage',
        summary: 'Get logins and credits',
        response: usageSchema,
      },
      async ({ project }) => {
        const graceHours = config.HERALD_GRACE_HOURS;
        const [usage, blocked, days, months] = await Promise.all([
          readMonthUsage(pool, project.id, graceHours),
          isBillingBlocked(pool, project.id, graceHours),
          loginsByDay(pool, project.id, limits.usageDays),
          planLoginsByMonth(pool, project.id),
        ]);
        return {
          plan: project.plan,
          month: usage.month,
          logins: usage.logins,
          plan_logins: plans[project.plan].loginsPerMonth,
          plan_logins_used: usage.plan_used,
          purchased_credits: usage.purchased_credits,
          grace_ends_at: isoTimeOrNull(usage.grace_ends_at),
          billing_blocked: blocked,
          months,
          days,
        };
      },
    ),
  ];
}

function presentProject(project: Project, brand: Brand): ProjectView {
  return {
    id: project.id,
    slug: project.slug,
    name: project.name,
    plan: project.plan,
    callback_url: project.callback_url,
    redirect_urls: project.redirect_urls,
    retry_policy: project.retry_policy,
    welcome_en: project.welcome_en,
    welcome_ru: project.welcome_ru,
    timezone: project.timezone,
    brand,
    created_at: isoTime(project.created_at),
  };
}
