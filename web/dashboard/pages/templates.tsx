import { api } from '../api';
import { Cell, Chip, CreateButton, Empty, None, Pager, Problem, Table, Time } from '../elements';
import { capitalised, number } from '../format';
import { useResource } from '../resource';
import { Heading, Link, usePages } from '../router';
import { locale, t } from '../texts';

const VARIABLES_SHOWN = 4;

/** "English, Russian". */
function languageNames(codes: string[]): string {
  const names = new Intl.DisplayNames(locale, { type: 'language' });
  return capitalised(codes.map((code) => names.of(code)).join(', '));
}

export function Templates() {
  const pages = usePages();
  const found = useResource(() => api.templates(pages.cursor), pages.cursor ?? '');
  const list = found.data?.data;
  const isEmpty = list?.length === 0;
  const create = <CreateButton scope="manage" to="/dashboard/templates/new" text={t.newTemplate} />;
  return (
    <>
      <div class="heading">
        <Heading title={t.templates} />
        {!isEmpty && create}
      </div>
      <p class="lead">{t.templatesLead}</p>
      <Problem error={found.error} />
      {isEmpty && (
        <Empty icon="document" title={t.noTemplates} text={t.noTemplatesText}>
          {create}
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table label={t.templates} columns={[t.templateKey, t.languages, t.variables, t.version, t.changed]}>
          {list.map((template) => (
            <tr key={template.key}>
              <Cell label={t.templateKey} lead>
                <Link
                  to={`/dashboard/templates/${encodeURIComponent(template.key)}`}
                  class="clip"
                  title={template.key}
                >
                  {template.key}
                </Link>{' '}
                {template.purpose === 'reply' && <Chip>{t.templateReply}</Chip>}{' '}
                {template.name && <span class="hint clip">{template.name}</span>}
              </Cell>
              <Cell label={t.languages}>{languageNames(Object.keys(template.variants))}</Cell>
              <Cell label={t.variables}>
                {template.variables.length === 0 && <None />}
                <span class="chips">
                  {template.variables.slice(0, VARIABLES_SHOWN).map((name) => (
                    <Chip key={name}>{name}</Chip>
                  ))}
                  {template.variables.length > VARIABLES_SHOWN && (
                    <Chip title={template.variables.join(', ')}>
                      {t.moreTags(template.variables.length - VARIABLES_SHOWN)}
                    </Chip>
                  )}
                </span>
              </Cell>
              <Cell label={t.version}>{number(template.version)}</Cell>
              <Cell label={t.changed}>
                <Time at={template.updated_at} />
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </>
  );
}
