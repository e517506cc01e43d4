import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import { idSchema, timestampSchema } from '../../base/contract/common';
import { limits } from '../../base/contract/limits';

export const clientTypes = ['confidential', 'public'] as const;
export type ClientType = (typeof clientTypes)[number];

export const idTokenAlgorithms = ['RS256', 'ES256'] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

const nameSchema = z
  .string()
  .trim()
  .min(1)
  .check(characters(limits.nameLength))
  .describe('For people: the dashboard and the log of logins show it.');

const uris = z.array(z.string().check(characters(limits.urlLength))).max(limits.oidcRedirectUris);
const redirectUris = uris
  .min(1)
  .describe(
    'Where the browser may return to, compared character by character. `https`; a public client, and any in development, may use `http` on loopback.',
  );
const postLogoutRedirectUris = uris.describe('Where the browser may return to after a logout.');
const algorithm = z.enum(idTokenAlgorithms).describe('The signature of ID tokens.');
const device = z.boolean().describe('Whether the client may use the device flow (RFC 8628).');

export const newClientSchema = z
  .strictObject({
    name: nameSchema,
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutRedirectUris.default([]),
    type: z
      .enum(clientTypes)
      .default('confidential')
      .describe('`confidential` has a secret; `public` (an app or a page without a backend) must use PKCE.'),
    id_token_alg: algorithm.default('RS256'),
    device: device.default(false),
  })
  .meta({ examples: [{ name: 'Shop', redirect_uris: ['https://shop.example.com/auth/callback/herald'] }] });

export const clientChangesSchema = z
  .strictObject({
    name: nameSchema.optional(),
    redirect_uris: redirectUris.optional(),
    post_logout_redirect_uris: postLogoutRedirectUris.optional(),
    id_token_alg: algorithm.optional(),
    device: device.optional(),
  })
  .meta({ examples: [{ redirect_uris: ['https://shop.example.com/auth/callback/herald'] }] });

export const clientSchema = z
  .strictObject({
    client_id: idSchema,
    name: z.string().meta({ examples: ['Shop'] }),
    type: z.enum(clientTypes),
    redirect_uris: z
      .array(z.string())
      .meta({ examples: [['https://shop.example.com/auth/callback/herald']] }),
    post_logout_redirect_uris: z.array(z.string()).meta({ examples: [['https://shop.example.com/']] }),
    id_token_alg: z.enum(idTokenAlgorithms),
    device: z.boolean(),
    issuer: z
      .string()
      .describe('Paste it where a platform asks for the issuer.')
      .meta({ examples: ['https://herald.example.com/oidc/shop'] }),
    discovery_url: z
      .string()
      .describe('Paste it where a platform asks for the well-known or discovery URL.')
      .meta({ examples: ['https://herald.example.com/oidc/shop/.well-known/openid-configuration'] }),
    created_at: timestampSchema,
  })
  .meta({ id: 'OidcClient' });
export type ClientView = z.infer<typeof clientSchema>;

export const createdClientSchema = clientSchema.extend({
  client_secret: z.string().nullable().describe('Shown only here; null for a public client.'),
});

export const rotatedClientSchema = z.strictObject({
  client_id: idSchema,
  client_secret: z.string().nullable().describe('Shown only here. The one before is valid for 24 hours.'),
});

export const clientParams = z.strictObject({ client_id: idSchema });
