import type { ComponentChildren } from 'preact';
import type { Scope } from '../../../src/base/contract/scopes';
import { can } from '../access';
import { pageTexts } from '../page-texts';
import { Heading, Link } from '../router';
import { t } from '../texts';

/** What only those who have the scope can do. Others do not see it: it would only return an error. */
export function Allowed({ scope, children }: { scope: Scope; children: ComponentChildren }) {
  return can(scope) ? <>{children}</> : null;
}

/** A page for those who have the scope. A link to it can reach others, who read why it is closed to them. */
export function AllowedPage(props: {
  scope: Scope;
  /** Whether the sign-in was by API key, which has scopes and no role. */
  byKey: boolean;
  /** The list that the page belongs to, where everyone may read that. */
  list?: { to: string; text: string } | undefined;
  children: ComponentChildren;
}) {
  const { scope, list } = props;
  if (can(scope)) return <>{props.children}</>;
  const p = pageTexts();
  return (
    <>
      <Heading title={p.noAccess} />
      <p>{props.byKey ? p.noAccessKey(p.scopeNames[scope]) : p.noAccessRole}</p>
      <p class="buttons">
        {list && can('read') && (
          <Link to={list.to} class="btn">
            {p.goToSection(list.text)}
          </Link>
        )}
        <Link to="/dashboard" class="btn">
          {t.goToOverview}
        </Link>
      </p>
    </>
  );
}
