import { limits } from '../../../src/base/contract/limits';
import type { EndpointView } from '../api';
import { FieldError, PairFields, type Pair } from '../elements';
import { t } from '../texts';

/** The same in every language. */
const EXAMPLE = 'Authorization';
/** In a change it stands for the stored value. */
const MASK = '***';

/** The value of a stored header is not known here. */
export function headerRows(endpoint: EndpointView | undefined): Pair[] {
  return Object.keys(endpoint?.headers ?? {}).map((name, key) => ({ key, name, value: '', stored: true }));
}

/** What is sent: stored values that were not typed over stay, empty rows are left out. */
export function givenHeaders(rows: Pair[]): Record<string, string> {
  const headers: Record<string, string> = {};
  const seen = new Set<string>();
  for (const { name, value, stored } of rows.map((row) => ({ ...row, name: row.name.trim() }))) {
    if (name === '' && value === '') continue;
    if (name === '') throw new FieldError('headers', t.headerNeedsName);
    if (value === '' && !stored) throw new FieldError(`headers.${name}`, t.headerNeedsValue);
    if (seen.has(name.toLowerCase())) throw new FieldError(`headers.${name}`, t.headerTwice);
    seen.add(name.toLowerCase());
    headers[name] = value === '' ? MASK : value.trim();
  }
  return headers;
}

export function HeaderFields(props: {
  rows: Pair[];
  problemOf: (field: string) => string | null;
  onChange: (rows: Pair[]) => void;
}) {
  return (
    <PairFields
      texts={{
        legend: t.ownHeaders,
        hint: t.ownHeadersHint,
        add: t.addHeader,
        name: t.headerName,
        value: t.headerValue,
        valueOf: t.headerValueOf,
        remove: t.removeHeader,
        nameExample: EXAMPLE,
        storedValue: t.headerKept,
      }}
      limits={limits.webhookHeaders}
      rows={props.rows}
      problemOf={({ name }) => props.problemOf(`headers.${name.trim()}`)}
      general={props.problemOf('headers')}
      onChange={props.onChange}
    />
  );
}
