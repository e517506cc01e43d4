import { languages, type Language } from '../../base/contract/common';
import { limits } from '../../base/contract/limits';
import { browserLanguage } from '../../base/http/browser-language';
import { isHtmlForm } from '../../base/http/form-body';
import { routesOf, SeeOther } from '../../base/http/route';
import { acceptSubmission, type AcceptDeps } from './accept';
import {
  acceptedSchema,
  formParams,
  publicFormQuery,
  publicFormSchema,
  submittedSchema,
  titleOf,
} from './contract';
import type { OpenForms } from './open-forms';

const route = routesOf('Forms');

/** What sites call, without a key. `formGate` stands before them. */
export function createPublicFormRoutes(deps: AcceptDeps & { openForms: OpenForms }) {
  const { openForms } = deps;
  return [
    route(
      {
        method: 'GET',
        path: '/f/{form_id}',
        summary: 'Get the fields of a form without an API key',
        description:
          'For a site that builds the form itself. With `min_seconds` the token is needed in the submission.',
        auth: 'none',
        params: formParams,
        query: publicFormQuery,
        response: publicFormSchema,
      },
      async ({ params, query, ctx }) => {
        const form = await openForms(params.form_id);
        const lang: Language = languages.find((each) => each === query.lang) ?? browserLanguage(ctx);
        ctx.vary('Accept-Language');
        return { title: titleOf(form, lang), fields: form.fields, token: form.token() };
      },
    ),

    route(
      {
        method: 'POST',
        path: '/f/{form_id}',
        summary: 'Submit a form',
        description: `From a site of the form’s \`allowed_origins\`, in JSON or as a plain HTML form, which is sent on to \`redirect_url\` or to a page that says thanks (303). ${limits.formSubmissionsPerMinute} per minute and form, ${limits.formSubmissionsPerAddress} per address. A submission that looks like spam gets the same response and is kept in the spam folder.`,
        auth: 'none',
        params: formParams,
        body: submittedSchema,
        form: { maxBytes: limits.formBodyBytes },
        response: acceptedSchema,
        errors: ['billing_blocked', 'captcha_failed', 'origin_not_allowed', 'rate_limit_form'],
      },
      async ({ params, body, ctx }) => {
        const form = await openForms(params.form_id);
        const from = { source: 'web' as const, subscriberId: null, address: ctx.ip };
        const id = await acceptSubmission(deps, form, body, from);
        if (isHtmlForm(ctx)) return new SeeOther(form.redirect_url ?? `/forms/${form.id}/thanks`);
        return { ok: true, submission_id: id };
      },
    ),
  ];
}
