import { sealedColumns as bots } from '../bots/sealed-columns';
import { sealedColumns as forms } from '../forms/sealed-columns';
import { sealedColumns as http } from '../http/sealed-columns';
import { sealedColumns as login } from '../login/sealed-columns';
import { sealedColumns as oidc } from '../oidc/sealed-columns';
import { sealedColumns as projects } from '../projects/sealed-columns';
import { sealedColumns as subscribers } from '../subscribers/sealed-columns';
import { sealedColumns as webhooks } from '../webhooks/sealed-columns';

/** Every column of the database with encrypted values. */
export const sealedColumns = [
  ...webhooks,
  ...login,
  ...subscribers,
  ...http,
  ...oidc,
  ...bots,
  ...projects,
  ...forms,
];
