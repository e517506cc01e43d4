import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { orNotFound } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import { isoTime } from '../../base/lib/iso-time';
import { requireSubscriber } from '../subscribers';
import {
  formLinkSchema,
  formListQuery,
  formParams,
  formSchema,
  formStatsSchema,
  linkQuery,
  newFormSchema,
  replacedFormSchema,
  submissionChangesSchema,
  submissionListQuery,
  submissionParams,
  submissionSchema,
} from './contract';
import { createForm, presentForm, putForm, requireForm, signingPurpose, type FormDeps } from './forms';
import type { OpenForms } from './open-forms';
import { deleteForm, listForms } from './queries/forms';
import { countSubmissions, deleteSubmission, findSubmission, listSubmissions } from './queries/submissions';
import { signSubscriber } from './signing';
import { moveSubmission, presentSubmission } from './submissions';

const route = routesOf('Forms');

export function createFormRoutes(
  deps: FormDeps & Pick<Core, 'messengers' | 'publicUrl'> & { openForms: OpenForms },
) {
  const { pool, config, cipher, publicUrl, openForms } = deps;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const definitionErrors = ['conflict', 'not_found', 'template_variable_missing', 'invalid_url'] as const;
  return [
    route(
      {
        method: 'POST',
        path: '/v1/forms',
        summary: 'Create a form',
        description:
          'Answers come from your site (`submit_url`), from a page of Herald (`hosted_url`) or from the bot. Routes say what follows from a submission; `form.submitted` is sent in any case.',
        idempotent: {},
        body: newFormSchema,
        status: 201,
        response: formSchema,
        errors: [...definitionErrors],
      },
      async ({ project, body, work }) => presentForm(deps, await createForm(deps, project.id, body, work)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/forms',
        summary: 'List forms',
        query: formListQuery,
        response: pageOf(formSchema),
      },
      async ({ project, query: { cursor, limit } }) => {
        const found = await listForms(pool, project.id, { before: decodeCursor(cursor), limit });
        return toPage(found, limit, (form) => presentForm(deps, form));
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/forms/stats',
        summary: 'Count the submissions of all forms',
        response: formStatsSchema,
      },
      async ({ project }) => ({
        data: (await countSubmissions(pool, project.id)).map((each) => ({
          ...each,
          last_at: each.last_at && isoTime(each.last_at),
        })),
      }),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/forms/{form_id}',
        summary: 'Get a form',
        params: formParams,
        response: formSchema,
      },
      async ({ project, params }) => presentForm(deps, await requireForm(pool, project.id, params.form_id)),
    ),

    route(
      {
        method: 'PUT',
        path: '/v1/forms/{form_id}',
        summary: 'Replace a form',
        description:
          'What is not given gets its default. The secret of the captcha stays if it is not given and the host of `verify_url` is the same.',
        params: formParams,
        body: replacedFormSchema,
        response: formSchema,
        errors: [...definitionErrors],
      },
      async ({ project, params, body }) => {
        const replaced = await putForm(deps, project.id, params.form_id, body);
        openForms.forget(replaced.id);
        return presentForm(deps, replaced);
      },
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/forms/{form_id}',
        summary: 'Delete a form',
        description: 'Its submissions are deleted with it.',
        params: formParams,
        status: 204,
      },
      async ({ project, params }) => {
        orNotFound(await deleteForm(pool, project.id, params.form_id));
        openForms.forget(params.form_id);
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/forms/{form_id}/link',
        summary: 'Get a link to a form for a subscriber',
        description: 'Signed, for 7 days: what is submitted through it are the answers of this subscriber.',
        confidential: true,
        // With it the caller acts as the subscriber.
        scope: 'manage',
        params: formParams,
        query: linkQuery,
        response: formLinkSchema,
        errors: ['subscriber_not_found'],
      },
      async ({ project, params, query }) => {
        const form = await requireForm(pool, project.id, params.form_id);
        const subscriber = await requireSubscriber(pool, project.id, query.subscriber_id);
        const key = cipher.decrypt(form.signing_sealed, signingPurpose, form.id);
        const signed = signSubscriber(key, subscriber.id, form.now.getTime());
        return { url: `${publicUrl()}/forms/${form.id}?s=${signed}` };
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/forms/{form_id}/submissions',
        summary: 'List the submissions of a form',
        params: formParams,
        query: submissionListQuery,
        response: pageOf(submissionSchema),
      },
      async ({ project, params, query: { status, cursor, limit } }) => {
        const { id: formId } = await requireForm(pool, project.id, params.form_id);
        const filter = { formId, status, before: decodeCursor(cursor), limit };
        const found = await listSubmissions(pool, project.id, filter);
        return toPage(found, limit, (each) => presentSubmission(each, format));
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/submissions/{id}',
        summary: 'Get a submission',
        params: submissionParams,
        response: submissionSchema,
      },
      async ({ project, params }) => {
        return presentSubmission(orNotFound(await findSubmission(pool, project.id, params.id)), format);
      },
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/submissions/{id}',
        summary: 'Move a submission into the spam folder or out of it',
        description: 'Out of it, its event is sent and its routes run, unless they have before.',
        params: submissionParams,
        body: submissionChangesSchema,
        response: submissionSchema,
      },
      async ({ project, params, body }) =>
        presentSubmission(await moveSubmission({ pool, format }, project.id, params.id, body.status), format),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/submissions/{id}',
        summary: 'Delete a submission',
        description: 'Routes that have not run do not run.',
        params: submissionParams,
        status: 204,
      },
      async ({ project, params }) => {
        orNotFound(await deleteSubmission(pool, project.id, params.id));
      },
    ),
  ];
}
