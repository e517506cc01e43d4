import ts from 'typescript';

/** Whether a source file may contain SQL. */
export const holdsSql = (file: string) => file.startsWith('src/base/db/') || /\/queries(\.ts|\/)/.test(file);

/** What the SQL texts of a source file do with tables. */
export interface SqlUse {
  reads: Set<string>;
  writes: Set<string>;
  /** Places where a table's name stands and the reader cannot tell what it means there. */
  unclear: string[];
}

interface Text {
  sql: string;
  /** The text begins where a table's name is expected, as after FROM. */
  fromList: boolean;
}

/** Stands in a text for `${…}`. */
const INTERPOLATION = '\u0001';

/**
 * The names that are interpolated where a table's name is expected: `FROM ${CHAINS}`. Their texts are read wherever they
 * are written: as the value of a constant or of a property with this name.
 */
export function interpolatedTables(source: ts.SourceFile): string[] {
  const names: string[] = [];
  walk(source, (node) => {
    if (!ts.isTemplateExpression(node)) return;
    let before = node.head.text;
    for (const { expression, literal } of node.templateSpans) {
      if (/\b(FROM|JOIN|INTO|UPDATE|USING|TABLE|ONLY|LATERAL)\s+$/.test(before)) {
        names.push(expression.getText());
      }
      before = literal.text;
    }
  });
  return names;
}

/**
 * Reads the SQL of a file. `strict` is for files that hold SQL: each table's name in each of their texts must be a table
 * that is read or written, an alias, or a column. Elsewhere only statements count: the texts may be prose.
 */
export function readSql(
  source: ts.SourceFile,
  tables: ReadonlySet<string>,
  {
    columns,
    interpolated,
    strict,
  }: { columns: ReadonlySet<string>; interpolated: ReadonlySet<string>; strict: boolean },
): SqlUse {
  const use: SqlUse = { reads: new Set(), writes: new Set(), unclear: [] };
  walk(source, (node) => {
    if (ts.isPropertyAssignment(node) && isRuleOfRetention(node)) {
      // Its key is a table, whose rows the rule ends.
      use.writes.add(node.name.getText());
    }
    if (ts.isStringLiteralLike(node) && tables.has(node.text)) {
      // The table as data: `table: 'messages'` or `count(db, 'oidc_keys')`.
      const isData = interpolated.has(propertyOf(node) ?? '') || (strict && ts.isCallExpression(node.parent));
      if (isData) use.writes.add(node.text);
      return;
    }
    const text = textOf(node, interpolated);
    if (text) readText(text, tables, columns, strict, use);
  });
  return use;
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => {
    walk(child, visit);
  });
}

/** `export const retention = (): Retention => ({ table: rule })`. */
function isRuleOfRetention({ parent }: ts.PropertyAssignment): boolean {
  const declaration = ts.findAncestor(parent, ts.isArrowFunction)?.parent;
  return (
    declaration !== undefined &&
    ts.isVariableDeclaration(declaration) &&
    declaration.name.getText() === 'retention' &&
    ts.isParenthesizedExpression(parent.parent)
  );
}

function propertyOf(node: ts.Node): string | null {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent)) return parent.name.getText();
  return null;
}

function textOf(node: ts.Node, interpolated: ReadonlySet<string>): Text | null {
  if (ts.isNewExpression(node.parent ?? node)) return null; // an error's message
  let sql: string;
  if (ts.isTemplateExpression(node)) {
    sql = [node.head, ...node.templateSpans.map(({ literal }) => literal)]
      .map(({ text }) => text)
      .join(INTERPOLATION);
  } else if (ts.isStringLiteralLike(node) && !ts.isImportDeclaration(node.parent)) {
    sql = node.text;
  } else return null;
  return { sql, fromList: interpolated.has(propertyOf(node) ?? '') };
}

/** The ends of a FROM clause. */
const ENDS = new Set(
  'WHERE GROUP ORDER HAVING LIMIT OFFSET FETCH FOR WINDOW UNION INTERSECT EXCEPT SET RETURNING VALUES SELECT'.split(
    ' ',
  ),
);
/** Functions with a FROM among their arguments. */
const FROM_ARGUMENTS = new Set(['extract', 'substring', 'trim', 'overlay', 'position']);

/** Words that may stand before a table's name. */
const MODIFIERS = new Set(['LATERAL', 'ONLY', 'IF', 'NOT', 'EXISTS', 'AS', 'MATERIALIZED']);

interface Frame {
  /** The function whose arguments these parentheses hold. */
  called: string;
  /** Inside a list of tables, where a comma is followed by the next one. */
  list: boolean;
  /** What is done with the table whose name comes next. */
  expected: 'reads' | 'writes' | null;
}

function tokensOf(sql: string): string[] {
  const plain = sql
    .replace(/--[^\n]*/g, ' ')
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^']|'')*'/g, " '' ")
    .replace(/"(\w+)"/g, '$1');
  return plain.match(/[A-Za-z_]\w*|[(),.\u0001]|''|[^\sA-Za-z_(),.\u0001']+/g) ?? [];
}

function readText(
  { sql, fromList }: Text,
  tables: ReadonlySet<string>,
  columns: ReadonlySet<string>,
  strict: boolean,
  use: SqlUse,
): void {
  const tokens = tokensOf(sql);
  const ctes = new Set(
    tokens.filter(
      (_, at) =>
        tokens[at + 1] === 'AS' &&
        /^\( |^(NOT )?MATERIALIZED \( /.test(`${tokens.slice(at + 2, at + 5).join(' ')} `),
    ),
  );
  const local = new Set<string>(ctes);
  const frames: Frame[] = [{ called: '', list: fromList, expected: fromList ? 'reads' : null }];
  const loose: { word: string; qualifies: boolean; at: number }[] = [];

  tokens.forEach((token, at) => {
    const frame = frames.at(-1) ?? { called: '', list: false, expected: null };
    const before = tokens[at - 1] ?? '';
    const after = tokens[at + 1] ?? '';
    const expect = (expected: Frame['expected'], list: boolean) => Object.assign(frame, { expected, list });

    if (token === '(') {
      frames.push({ called: before, list: frame.expected !== null, expected: frame.expected });
      frame.expected = null;
    } else if (token === ')') {
      if (frames.length > 1) frames.pop();
    } else if (token === ',') {
      if (frame.list) frame.expected ??= 'reads';
    } else if (token === 'FROM') {
      if (before === 'DISTINCT' || FROM_ARGUMENTS.has(frame.called)) return;
      expect(before === 'DELETE' ? 'writes' : 'reads', true);
    } else if (token === 'JOIN') {
      expect('reads', true);
    } else if (token === 'USING') {
      if (after !== '(') expect('reads', true);
    } else if (token === 'INTO') {
      expect('writes', false);
    } else if (token === 'UPDATE') {
      if (!['FOR', 'KEY', 'DO'].includes(before)) expect('writes', false);
    } else if (token === 'TRUNCATE' || token === 'LOCK' || token === 'TABLE') {
      expect('writes', true);
    } else if (token === INTERPOLATION) {
      frame.expected = null;
    } else if (token === 'WITH' || ENDS.has(token)) {
      expect(null, false);
    } else if (/^[a-z_]/i.test(token) && !MODIFIERS.has(token)) {
      const { expected } = frame;
      frame.expected = null;
      const isCall = after === '(' && expected !== 'writes';
      if (expected !== null && !isCall) {
        if (tables.has(token) && (expected === 'writes' || !ctes.has(token))) use[expected].add(token);
        // The alias, which may be called like another table.
        const alias = after === 'AS' ? tokens[at + 2] : after;
        if (alias !== undefined && /^[a-z_]/.test(alias)) local.add(alias);
        local.add(token);
      } else if (before === 'AS') {
        local.add(token);
      } else if (tables.has(token) && before !== '.' && before !== 'OF') {
        loose.push({ word: token, qualifies: after === '.', at });
      }
    }
  });

  if (!strict || !/\s/.test(sql.trim())) return;
  for (const { word, qualifies, at } of loose) {
    if (local.has(word)) continue;
    if (qualifies) use.reads.add(word);
    else if (!columns.has(word)) {
      use.unclear.push(`${word}: … ${tokens.slice(Math.max(0, at - 5), at + 4).join(' ')} …`);
    }
  }
}
