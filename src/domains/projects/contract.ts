import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  channelSchema,
  givenTimeSchema,
  idSchema,
  pageQuery,
  slugSchema,
  timestampSchema,
  timezoneSchema,
  exampleId,
} from '../../base/contract/common';
import { actorTypes, notifyLevels } from '../../base/contract/people';
import { roles, scopes } from '../../base/contract/scopes';
import { KIB, limits, planNames, type PlanName } from '../../base/contract/limits';

export const retryPolicySchema = z.enum(['durable', 'quick']);
export type RetryPolicyName = z.infer<typeof retryPolicySchema>;

/** Where a user returns to after the login: an absolute http(s) URL, to which `code` and `state` are appended. */
const returnUrlSchema = z
  .string()
  .check(characters(limits.urlLength))
  .refine(isReturnUrl, 'must be an absolute http or https URL without a username, password or fragment');

function isReturnUrl(text: string): boolean {
  return isWebUrl(text) && !text.includes('#');
}

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

const nameSchema = z.string().trim().min(1).check(characters(limits.nameLength));
const welcomeSchema = z.string().trim().min(1).check(characters(limits.welcomeLength)).nullable();

const colorSchema = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour like #2457d6')
  .transform((color) => color.toLowerCase())
  .nullable();

export const brandSchema = z
  .strictObject({
    logo_url: z
      .string()
      .nullable()
      .describe('Where the logo was fetched from; null if it was uploaded. Herald serves its own copy.'),
    logo_path: z
      .string()
      .nullable()
      .describe('For the dashboard: path of that copy on this server; a new logo has a new path.'),
    color: z.string().nullable().describe('Colour of the buttons on the hosted login page: #rrggbb.'),
    privacy_url: z.string().nullable().describe('Privacy policy, linked on the hosted login page.'),
  })
  .meta({ id: 'Brand' });
export type Brand = z.infer<typeof brandSchema>;

const brandChanges = {
  logo_url: z
    .string()
    .check(characters(limits.urlLength))
    .nullable()
    .describe(
      `A PNG, JPEG or WebP image of up to ${limits.logoBytes / KIB} KiB. It is fetched once, now; send the URL again to fetch it again.`,
    )
    .optional(),
  color: colorSchema.optional(),
  privacy_url: z
    .string()
    .check(characters(limits.urlLength))
    .refine(isWebUrl, 'must be an absolute http or https URL without a username or password')
    .nullable()
    .optional(),
};

/** The body of an upload; the route checks what is in it. */
export const logoSchema = z.instanceof(Uint8Array);

export const projectSchema = z
  .strictObject({
    id: idSchema,
    slug: z.string().meta({ examples: ['shop'] }),
    name: z.string().meta({ examples: ['My shop'] }),
    plan: z.enum(planNames),
    callback_url: z
      .string()
      .nullable()
      .describe('Where users return to after a login.')
      .meta({ examples: ['https://shop.example.com/callback'] }),
    redirect_urls: z
      .array(z.string())
      .describe('Other URLs that a session can use as its redirect_uri.')
      .meta({ examples: [['https://shop.example.com/callback']] }),
    retry_policy: retryPolicySchema.describe('Default retry policy of new endpoints.'),
    welcome_en: z
      .string()
      .nullable()
      .describe('Welcome message in English: the bot adds it after a login or a new subscription.'),
    welcome_ru: z.string().nullable().describe('Welcome message in Russian.'),
    timezone: z
      .string()
      .describe('Time zone of local times, such as Europe/Berlin.')
      .meta({ examples: ['Europe/Berlin'] }),
    brand: brandSchema.describe('How the hosted login page looks.'),
    created_at: timestampSchema,
  })
  .meta({ id: 'Project' });
export type ProjectView = z.infer<typeof projectSchema>;

export const ownProjectChangesSchema = z
  .strictObject({
    name: nameSchema.optional(),
    callback_url: returnUrlSchema.nullable().optional(),
    redirect_urls: z
      .array(returnUrlSchema)
      .max(limits.redirectUrls)
      .transform((urls) => [...new Set(urls)])
      .optional(),
    retry_policy: retryPolicySchema.optional(),
    welcome_en: welcomeSchema.optional(),
    welcome_ru: welcomeSchema.optional(),
    timezone: timezoneSchema.optional(),
    brand: z
      .strictObject(brandChanges)
      .optional()
      .describe('Absent fields do not change; null clears a field.'),
  })
  .meta({ examples: [{ callback_url: 'https://shop.example.com/callback' }] });
export type OwnProjectChanges = z.input<typeof ownProjectChangesSchema>;

export const usageSchema = z
  .strictObject({
    plan: z.enum(planNames),
    month: z
      .string()
      .describe('The calendar month in UTC: YYYY-MM.')
      .meta({ examples: ['2026-01'] }),
    logins: z.number().int().describe('Successful logins in this month.'),
    plan_logins: z
      .number()
      .int()
      .describe('Logins included in the plan per month.')
      .meta({ examples: [100] }),
    plan_logins_used: z.number().int(),
    purchased_credits: z
      .number()
      .int()
      .describe('Logins left in purchased credit packs.')
      .meta({ examples: [0] }),
    grace_ends_at: timestampSchema
      .nullable()
      .describe('End of this month’s grace period; null if it has not started.')
      .meta({ examples: [null] }),
    billing_blocked: z
      .boolean()
      .describe('Whether paid operations are rejected.')
      .meta({ examples: [false] }),
    months: z
      .array(
        z.strictObject({
          month: z.string().meta({ examples: ['2026-01'] }),
          plan_logins_used: z.number().int(),
        }),
      )
      .describe('Logins that the plan has paid for, in each of the last 12 months with any, newest first.'),
    days: z
      .array(z.strictObject({ date: z.iso.date(), logins: z.number().int() }))
      .describe(`Successful logins per day in the last ${limits.usageDays} days (UTC), oldest first.`),
  })
  .meta({ id: 'Usage' });
export type UsageView = z.infer<typeof usageSchema>;

const wholeLimit = z.coerce.number().int().min(1).max(10_000_000);

export const newProjectSchema = z.strictObject({
  slug: slugSchema,
  name: nameSchema,
  callback_url: returnUrlSchema.optional(),
  plan: z.enum(planNames).optional(),
});

/** The options of `herald project set`. */
export const projectChangesSchema = z.strictObject({
  name: nameSchema.optional(),
  callback_url: returnUrlSchema.optional(),
  redirect_urls: z.array(returnUrlSchema).max(limits.redirectUrls).optional(),
  plan: z.enum(planNames).optional(),
  active: z.boolean().optional(),
  requests_per_minute: wholeLimit.optional(),
  events_per_minute: wholeLimit.optional(),
  queued_deliveries: wholeLimit.optional(),
  sessions_per_hour: wholeLimit.optional(),
  sessions_per_address: wholeLimit.optional(),
  timezone: timezoneSchema.optional(),
  scheduled_entries: wholeLimit.optional(),
  brand: z.strictObject(brandChanges).optional(),
});

export const keySchema = z
  .strictObject({
    id: idSchema,
    name: z
      .string()
      .nullable()
      .meta({ examples: ['Backend'] }),
    hint: z
      .string()
      .describe('The first characters of the key.')
      .meta({ examples: ['hk_3fK2'] }),
    current: z.boolean().describe('Whether this request uses the key.'),
    scopes: z.array(z.enum(scopes)).describe('What the key may do.'),
    created_at: timestampSchema,
    last_used_at: timestampSchema.nullable().describe('Accurate to the minute.'),
    revoked_at: timestampSchema.nullable().meta({ examples: [null] }),
  })
  .meta({ id: 'ApiKey' });
export type KeyView = z.infer<typeof keySchema>;

export const newKeySchema = z
  .strictObject({
    name: nameSchema.optional(),
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .max(scopes.length)
      .optional()
      .describe(
        'What the key may do, never more than the caller may. Default: all that the caller may, but `publish`.',
      ),
  })
  .meta({ examples: [{ name: 'Backend', scopes: ['read', 'send'] }] });

export const createdKeySchema = z.strictObject({
  ...keySchema.shape,
  api_key: z
    .string()
    .nullable()
    .describe('The key itself. Returned only once: null in a repeated response.')
    .meta({ examples: ['hk_…'] }),
});

export const signInSchema = z
  .strictObject({ api_key: z.string().min(1).check(characters(200)) })
  .meta({ examples: [{ api_key: '<api_key>' }] });

/** The person who has signed in. */
export const accountSchema = z.strictObject({
  account_id: idSchema,
  first_name: z.string().meta({ examples: ['Anna'] }),
  username: z
    .string()
    .nullable()
    .meta({ examples: ['anna'] }),
  channel: channelSchema,
});

const accountProjectSchema = z.strictObject({
  project_id: idSchema,
  slug: z.string().meta({ examples: ['shop'] }),
  name: z.string().meta({ examples: ['My shop'] }),
  role: z.enum(roles).nullable(),
});

export const ownProjectSchema = z
  .strictObject({ slug: slugSchema, name: nameSchema })
  .meta({ examples: [{ slug: 'shop', name: 'My shop' }] });
export const ownedProjectSchema = accountProjectSchema;

/** What the dashboard's pages need besides the API. */
export const dashboardSessionSchema = z
  .strictObject({
    project_id: idSchema.nullable().describe('The current project; null if the account is in no team.'),
    key_id: idSchema.nullable().describe('The API key of the sign-in; null if an account has signed in.'),
    account: accountSchema.nullable().describe('Null if the sign-in was by API key.'),
    role: z
      .enum(roles)
      .nullable()
      .describe('The role in the current project; null if the sign-in was by API key.'),
    notify: z
      .enum(notifyLevels)
      .nullable()
      .describe(
        'What the bot tells this member about the current project; null if the sign-in was by API key.',
      ),
    scopes: z.array(z.enum(scopes)).describe('What the caller may do in the current project.'),
    projects: z.array(accountProjectSchema).describe('The projects of the account, by name.'),
    open_signup: z.boolean().describe('Whether an account can create a project.'),
    temporal_ui_url: z.string().nullable().describe('URL of the namespace in the Temporal UI, or null.'),
  })
  .meta({ id: 'DashboardSession' });
export type DashboardSession = z.infer<typeof dashboardSessionSchema>;

export const switchProjectSchema = z.strictObject({ project_id: idSchema });

export const ownNotifySchema = z.strictObject({ notify: z.enum(notifyLevels) });

export const signInRecordSchema = z.strictObject({
  session_id: idSchema,
  current: z.boolean().describe('Whether this request uses the session.'),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  created_at: timestampSchema,
  last_seen_at: timestampSchema.describe('Accurate to the minute.'),
  expires_at: timestampSchema.meta({ examples: ['2026-01-15T22:30:00.000+00:00'] }),
});
export type SignInRecord = z.infer<typeof signInRecordSchema>;

const settingValueSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable();
const auditedSettingSchema = z.strictObject({
  field: z.string().meta({ examples: ['retry_policy'] }),
  before: settingValueSchema.meta({ examples: ['durable'] }),
  after: settingValueSchema.meta({ examples: ['quick'] }),
});
export type AuditedSetting = z.infer<typeof auditedSettingSchema>;

/** An entry of the audit log: who changed what, without contents. */
export const auditEntrySchema = z
  .strictObject({
    audit_id: idSchema,
    actor: z.strictObject({
      type: z.enum(actorTypes).describe('`cli` is the operator’s command line, `system` is Herald itself.'),
      id: idSchema.nullable().describe('The member or the API key.'),
    }),
    action: z
      .string()
      .describe('For example `webhook.updated`.')
      .meta({ examples: ['webhook.updated'] }),
    target_id: z
      .string()
      .nullable()
      .describe(
        'What was changed: its id, the name of a tag or permission, the key of a template, or the messenger of a bot.',
      )
      .meta({ examples: [exampleId] }),
    target_name: z.string().nullable().describe('Its name at that time; of an endpoint, its host.'),
    changes: z
      .array(auditedSettingSchema)
      .describe('Settings of the project and of endpoints before and after. Never secrets or texts.'),
    ip: z.string().nullable(),
    at: timestampSchema,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditQuery = z.strictObject({
  actor: z
    .union([idSchema, z.enum(actorTypes)])
    .optional()
    .describe('The id of a member or key, or a type of actor.'),
  action: z.string().min(1).max(64).optional(),
  since: givenTimeSchema.optional(),
  ...pageQuery,
});

/** A row of `projects`. */
export interface Project {
  id: string;
  slug: string;
  name: string;
  active: boolean;
  plan: PlanName;
  callback_url: string | null;
  redirect_urls: string[];
  retry_policy: 'durable' | 'quick';
  /** The bot adds it after a login or a new subscription. */
  welcome_en: string | null;
  welcome_ru: string | null;
  requests_per_minute: number | null;
  events_per_minute: number | null;
  queued_deliveries: number | null;
  sessions_per_hour: number | null;
  sessions_per_address: number | null;
  /** Open scheduled and recurring messages and chains together. */
  scheduled_entries: number | null;
  purchased_credits: number;
  /** Herald's own: it has no plan and no credits, and its slug finds nothing. */
  system: boolean;
  /** An IANA name, `UTC` by default. */
  timezone: string;
  created_at: Date;
}
