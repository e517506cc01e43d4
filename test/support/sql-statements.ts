import path from 'node:path';
import ts from 'typescript';
import { root, sources } from './rooms';
import { holdsSql } from './sql-tables';
import { createStaticValues, Unresolved } from './static-values';

/** What a value is in JavaScript: `string`, `number`, `Date`, `Buffer`, `object`, `any`, …, and lists of it: `string[]`. */
export type Kind = string;

/** A call of `rows`, `row`, `change`, …: a function that takes the text of a statement and its values. */
export interface Statement {
  /** The file, and the name of the statement as it is written. */
  place: string;
  /** Every text that it can have; null if it is assembled of what is only known at run time. */
  texts: string[] | null;
  /** What the caller expects of each column. */
  columns: Map<string, { kinds: Set<Kind>; isOptional: boolean }>;
  /** What the caller passes for each parameter; null if the list is assembled at run time. */
  values: Set<Kind>[] | null;
}

/** Reads the calls in every file that holds SQL, with the types that TypeScript knows. */
export function readStatements(): Statement[] {
  const files = sources('src').filter(holdsSql);
  const program = programOf(files.map((file) => path.join(root, file)));
  const checker = program.getTypeChecker();
  const parsed = files.flatMap((file) => program.getSourceFile(path.join(root, file)) ?? []);
  const { valuesOf } = createStaticValues(checker, parsed);
  const takers = new Set(parsed.flatMap((source) => statementTakers(source)));

  function textsOf(text: ts.Expression): string[] | null {
    try {
      return valuesOf(text).map(String);
    } catch (error) {
      if (error instanceof Unresolved) return null;
      throw error;
    }
  }

  function statementOf(call: ts.CallExpression): Statement[] {
    const signature = checker.getResolvedSignature(call);
    const parameters = signature?.getParameters().map(({ name }) => name) ?? [];
    const argument = (name: string) => call.arguments[parameters.indexOf(name)];
    const text = argument('text');
    if (!signature || !text || isPassedOn(text)) return [];
    const row = rowOf(checker, signature.getReturnType());
    const file = path.relative(root, call.getSourceFile().fileName);
    return [
      {
        place: `${file} ${(argument('name') ?? text).getText().replace(/\s+/g, ' ').slice(0, 80)}`,
        texts: textsOf(text),
        columns: columnsOf(checker, row, call),
        values: valueKinds(checker, argument('values')),
      },
    ];
  }

  const statements: Statement[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && takers.has(node.expression.getText())) {
      statements.push(...statementOf(node));
    }
    node.forEachChild(visit);
  };
  for (const source of parsed) visit(source);
  return statements;
}

/** Packages whose types no statement uses, and which take most of the time to read. */
const UNREAD = /^@(temporalio|opentelemetry)\/|^(telegraf|undici|@maxhub\/max-bot-api)$/;

function programOf(files: string[]): ts.Program {
  const config = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const parsed = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const options = { ...parsed.options, noEmit: true, types: ['node'] };
  const host = ts.createCompilerHost(options);
  const cache = ts.createModuleResolutionCache(root, (file) => file, options);
  host.resolveModuleNameLiterals = (names, from, redirected, _options, source) =>
    names.map((name) => {
      if (UNREAD.test(name.text)) return { resolvedModule: undefined };
      const mode = ts.getModeForUsageLocation(source, name, options);
      return ts.resolveModuleName(name.text, from, options, host, cache, redirected, mode);
    });
  return ts.createProgram(files, options, host);
}

/** The functions that take the text of a statement and its values. */
function statementTakers(source: ts.SourceFile): string[] {
  return source.statements.flatMap((node) =>
    ts.isFunctionDeclaration(node) && node.name && takesStatement(node) ? [node.name.text] : [],
  );
}

function takesStatement(node: ts.FunctionDeclaration | undefined): boolean {
  const names = node?.parameters.map(({ name }) => name.getText()) ?? [];
  return names.includes('text') && names.includes('values');
}

/** Whether the caller is such a function itself, and its callers are read. */
function isPassedOn(text: ts.Expression): boolean {
  const taker = ts.findAncestor(text, ts.isFunctionDeclaration);
  return text.getText() === 'text' && takesStatement(taker);
}

/** `R` of `Promise<R[]>` or `Promise<R | null>`. */
function rowOf(checker: ts.TypeChecker, type: ts.Type): ts.Type | null {
  const awaited = checker.getAwaitedType(type);
  if (!awaited) return null;
  const row = checker.getNonNullableType(awaited);
  return checker.isArrayType(row) ? (checker.getTypeArguments(row as ts.TypeReference)[0] ?? null) : row;
}

function columnsOf(checker: ts.TypeChecker, row: ts.Type | null, at: ts.Node): Statement['columns'] {
  if (!row || !(row.flags & ts.TypeFlags.StructuredType)) return new Map();
  return new Map(
    checker.getPropertiesOfType(row).map((property) => [
      property.name,
      {
        kinds: kindsOf(checker, checker.getTypeOfSymbolAtLocation(property, at)),
        isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
      },
    ]),
  );
}

function valueKinds(checker: ts.TypeChecker, values: ts.Expression | undefined): Set<Kind>[] | null {
  if (!values) return [];
  return listedIn(checker, values)?.map((each) => kindsOf(checker, checker.getTypeAtLocation(each))) ?? null;
}

/** The elements of a list that is written out, here or where it is named or returned. */
function listedIn(checker: ts.TypeChecker, list: ts.Expression): ts.Expression[] | null {
  if (ts.isArrayLiteralExpression(list)) {
    const elements = list.elements.map((each) =>
      ts.isSpreadElement(each) ? listedIn(checker, each.expression) : [each],
    );
    return elements.includes(null) ? null : elements.flatMap((each) => each ?? []);
  }
  if (ts.isAsExpression(list)) return listedIn(checker, list.expression);
  const name = ts.isCallExpression(list) ? list.expression : list;
  const symbol = ts.isIdentifier(name) ? checker.getSymbolAtLocation(name) : undefined;
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const written = target?.valueDeclaration && writtenAt(target.valueDeclaration);
  return written ? listedIn(checker, written) : null;
}

/** What a constant is, or what a function returns. Null for a list that grows afterwards. */
function writtenAt(declaration: ts.Declaration): ts.Expression | null {
  if (ts.isFunctionDeclaration(declaration)) return declaration.body ? returnedBy(declaration.body) : null;
  if (!ts.isVariableDeclaration(declaration) || !declaration.initializer) return null;
  const { initializer } = declaration;
  if (ts.isArrowFunction(initializer)) {
    return ts.isBlock(initializer.body) ? returnedBy(initializer.body) : initializer.body;
  }
  return declaration.type ? null : initializer;
}

function returnedBy({ statements }: ts.Block): ts.Expression | null {
  const last = statements.at(-1);
  return last && ts.isReturnStatement(last) ? (last.expression ?? null) : null;
}

/** The kinds that a value of the type may have, besides null and undefined. */
function kindsOf(checker: ts.TypeChecker, type: ts.Type): Set<Kind> {
  const { flags } = type;
  if (type.isUnion()) return new Set(type.types.flatMap((each) => [...kindsOf(checker, each)]));
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void)) return new Set();
  if (flags & ts.TypeFlags.StringLike) return new Set(['string']);
  if (flags & ts.TypeFlags.NumberLike) return new Set(['number']);
  if (flags & ts.TypeFlags.BooleanLike) return new Set(['boolean']);
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return new Set(['any']);
  if (flags & ts.TypeFlags.TypeParameter || flags & ts.TypeFlags.IndexedAccess) {
    const base = checker.getBaseConstraintOfType(type);
    return base ? kindsOf(checker, base) : new Set(['any']);
  }
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    const elements = checker.getTypeArguments(type as ts.TypeReference);
    const kinds = elements.flatMap((each) => [...kindsOf(checker, each)]);
    return new Set(kinds.length > 0 ? kinds.map((kind) => `${kind}[]`) : ['any[]']);
  }
  const name = type.getSymbol()?.name ?? '';
  if (name === 'Date') return new Set(['Date']);
  return new Set([/^(Buffer|Uint8Array)$/.test(name) ? 'Buffer' : 'object']);
}
