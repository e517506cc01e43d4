import { sealedColumns as bots } from '../../domains/bots/sealed-columns';
import { sealedColumns as forms } from '../../domains/forms/sealed-columns';
import { sealedColumns as http } from '../../base/http/sealed-columns';
import { sealedColumns as login } from '../../domains/login/sealed-columns';
import { sealedColumns as oidc } from '../../domains/oidc/sealed-columns';
import { sealedColumns as projects } from '../../domains/projects/sealed-columns';
import { sealedColumns as subscribers } from '../../domains/subscribers/sealed-columns';
import { sealedColumns as webhooks } from '../../domains/webhooks/sealed-columns';

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
