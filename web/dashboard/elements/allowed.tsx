import type { ComponentChildren } from 'preact';
import type { Scope } from '../../../src/contract/scopes';
import { can } from '../access';
import { Heading, Link } from '../router';
import { t } from '../texts';

/** What only those who have the scope can do. Others do not see it: it would only return an error. */
export function Allowed({ scope, children }: { scope: Scope; children: ComponentChildren }) {
  return can(scope) ? <>{children}</> : null;
}

/** A page for those who have the scope. A link to it can reach others, who read why it is closed to them. */
export function AllowedPage({ scope, children }: { scope: Scope; children: ComponentChildren }) {
  if (can(scope)) return <>{children}</>;
  return (
    <>
      <Heading title={t.noAccess} />
      <p>{t.noAccessText}</p>
      <p>
        <Link to="/dashboard">{t.goToOverview}</Link>
      </p>
    </>
  );
}
