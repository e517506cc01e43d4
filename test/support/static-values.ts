import ts from 'typescript';

/**
 * Evaluates expressions of a program without running it, if they are made of constants: texts, templates, lists, objects and
 * small functions of them. Where a value is only known at run time, every branch of a condition and every caller of a function
 * is followed.
 */
export interface StaticValues {
  /** Every value that the expression can have. Throws `Unresolved` if one is only known at run time. */
  valuesOf(expression: ts.Expression): unknown[];
}

export class Unresolved extends Error {}

/** A value that is only known at run time. */
const UNKNOWN = Symbol('unknown');
const MOST_WAYS = 200;
const DEEPEST_CALL = 20;

type Env = Map<ts.Node, () => unknown>;
type Func = ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression;
const RETURNED = Symbol('returned');

const LIBRARIES = { Object, Math, Array } as unknown as Partial<
  Record<string, Record<string, (...values: unknown[]) => unknown>>
>;

const isNumber = ({ flags }: ts.Type) => (flags & ts.TypeFlags.NumberLike) !== 0;

function regExpOf(node: ts.RegularExpressionLiteral): RegExp {
  const [, source = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
  return new RegExp(source, flags);
}

const isFunc = (node: ts.Node): node is Func =>
  ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node);

export function createStaticValues(checker: ts.TypeChecker, sources: readonly ts.SourceFile[]): StaticValues {
  const callers = callsOf(checker, sources);
  let path: { taken: number; of: number }[] = [];
  let at = 0;
  let chosen = new Map<string, number>();
  let callerEnvs: Env = new Map();
  let depth = 0;

  /** The next branch of a condition. Within one run the same condition takes the same branch. */
  function choose(key: string, of: number): number {
    const before = chosen.get(key);
    if (before !== undefined) return before;
    const step = (path[at] ??= { taken: 0, of });
    at += 1;
    chosen.set(key, step.taken);
    return step.taken;
  }

  const keyOf = (node: ts.Node) =>
    `${node.getSourceFile().fileName}:${ts.findAncestor(node, isFunc)?.pos}:${node.getText()}`;

  function truth(node: ts.Expression, env: Env): boolean {
    const value = evaluate(node, env);
    return value === UNKNOWN ? choose(keyOf(node), 2) === 0 : Boolean(value);
  }

  /** A value that is only known at run time, but whose type lists what it can be. */
  function ofType(node: ts.Node): unknown {
    const type = checker.getTypeAtLocation(node);
    const literals = type.isUnion() ? type.types : [type];
    if (!literals.every((each) => each.isStringLiteral())) return UNKNOWN;
    return literals[choose(keyOf(node), literals.length)]?.value;
  }

  function evaluate(node: ts.Expression, env: Env): unknown {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isNumericLiteral(node)) return Number(node.text);
    if (ts.isRegularExpressionLiteral(node)) return regExpOf(node);
    if (ts.isTaggedTemplateExpression(node)) {
      const isRaw = node.tag.getText() === 'String.raw' && ts.isNoSubstitutionTemplateLiteral(node.template);
      return isRaw ? node.template.getText().slice(1, -1) : UNKNOWN;
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
    if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
    if (node.kind === ts.SyntaxKind.NullKeyword) return null;
    if (ts.isIdentifier(node)) return ofIdentifier(node, env);
    if (ts.isTemplateExpression(node)) return ofTemplate(node, env);
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node)
    ) {
      return evaluate(node.expression, env);
    }
    if (ts.isConditionalExpression(node)) {
      return evaluate(truth(node.condition, env) ? node.whenTrue : node.whenFalse, env);
    }
    if (ts.isPropertyAccessExpression(node)) {
      return known(memberOf(node.expression, node.name.text, env), node);
    }
    if (ts.isElementAccessExpression(node)) {
      const key = evaluate(node.argumentExpression, env);
      return key === UNKNOWN ? anyMember(node, env) : memberOf(node.expression, String(key), env);
    }
    if (ts.isArrayLiteralExpression(node)) return ofList(node, env);
    if (ts.isObjectLiteralExpression(node)) return ofObject(node, env);
    if (ts.isBinaryExpression(node)) return ofBinary(node, env);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      return !truth(node.operand, env);
    }
    if (ts.isCallExpression(node)) return known(ofCall(node, env), node);
    if (isFunc(node)) return (...given: unknown[]) => call(node, given, env);
    return UNKNOWN;
  }

  const known = (value: unknown, node: ts.Node) => (value === UNKNOWN ? ofType(node) : value);

  function ofTemplate(node: ts.TemplateExpression, env: Env): unknown {
    let text = node.head.text;
    for (const { expression, literal } of node.templateSpans) {
      const value = evaluate(expression, env);
      if (value === UNKNOWN && !isNumber(checker.getTypeAtLocation(expression))) {
        throw new Unresolved(`\${${expression.getText()}}`);
      }
      // Which number it is changes no type.
      text += (value === UNKNOWN ? '1' : String(value)) + literal.text;
    }
    return text;
  }

  function ofList(node: ts.ArrayLiteralExpression, env: Env): unknown {
    const list: unknown[] = [];
    for (const element of node.elements) {
      const value = evaluate(ts.isSpreadElement(element) ? element.expression : element, env);
      if (!ts.isSpreadElement(element)) list.push(value);
      else if (Array.isArray(value)) list.push(...(value as unknown[]));
      else return UNKNOWN;
    }
    return list;
  }

  function ofObject(node: ts.ObjectLiteralExpression, env: Env): unknown {
    const object: Record<string, unknown> = {};
    for (const property of node.properties) {
      if (ts.isPropertyAssignment(property)) {
        object[property.name.getText().replace(/^['"]|['"]$/g, '')] = evaluate(property.initializer, env);
      } else if (ts.isShorthandPropertyAssignment(property)) {
        object[property.name.text] = ofDeclaration(checker.getShorthandAssignmentValueSymbol(property), env);
      } else if (ts.isSpreadAssignment(property)) {
        Object.assign(object, evaluate(property.expression, env));
      }
    }
    return object;
  }

  function ofBinary(node: ts.BinaryExpression, env: Env): unknown {
    const kind = node.operatorToken.kind;
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken) {
      return truth(node.left, env) ? evaluate(node.right, env) : false;
    }
    const left = evaluate(node.left, env);
    if (kind === ts.SyntaxKind.QuestionQuestionToken) return left ?? evaluate(node.right, env);
    const right = evaluate(node.right, env);
    if (left === UNKNOWN || right === UNKNOWN) return UNKNOWN;
    if (kind === ts.SyntaxKind.EqualsEqualsEqualsToken) return left === right;
    if (kind === ts.SyntaxKind.ExclamationEqualsEqualsToken) return left !== right;
    if (kind === ts.SyntaxKind.PlusToken) {
      return typeof left === 'number' && typeof right === 'number'
        ? left + right
        : String(left) + String(right);
    }
    if (kind === ts.SyntaxKind.MinusToken) return Number(left) - Number(right);
    if (kind === ts.SyntaxKind.AsteriskToken) return Number(left) * Number(right);
    if (kind === ts.SyntaxKind.SlashToken) return Number(left) / Number(right);
    return UNKNOWN;
  }

  function memberOf(node: ts.Expression, name: string, env: Env): unknown {
    const object = evaluate(node, env);
    if (object === UNKNOWN || object === null || object === undefined) return UNKNOWN;
    return name in Object(object) ? (object as Record<string, unknown>)[name] : undefined;
  }

  function anyMember(node: ts.ElementAccessExpression, env: Env): unknown {
    const object = evaluate(node.expression, env);
    if (object === UNKNOWN || typeof object !== 'object' || object === null) return UNKNOWN;
    const members = Object.values(object);
    return members.length === 0 ? UNKNOWN : members[choose(keyOf(node), members.length)];
  }

  function ofCall(node: ts.CallExpression, env: Env): unknown {
    const given = node.arguments.map((argument) => evaluate(argument, env));
    if (ts.isPropertyAccessExpression(node.expression)) {
      const name = node.expression.name.text;
      const library = LIBRARIES[node.expression.expression.getText()];
      if (library) {
        if (!given.includes(UNKNOWN)) return library[name]?.(...given);
        return name === 'keys' ? keysOf(node.arguments[0]) : UNKNOWN;
      }
      const owner = evaluate(node.expression.expression, env);
      if (owner === UNKNOWN) return UNKNOWN;
      const method = (owner as Record<string, unknown> | null)?.[name];
      if (typeof method !== 'function' || given.includes(UNKNOWN)) return UNKNOWN;
      if (name === 'join' && (owner as unknown[]).includes(UNKNOWN)) return UNKNOWN;
      return (method as (...values: unknown[]) => unknown).apply(owner, given);
    }
    if (node.expression.getText() === 'String') return given[0] === UNKNOWN ? UNKNOWN : String(given[0]);
    const called = evaluate(node.expression, env);
    return typeof called === 'function' ? (called as (...values: unknown[]) => unknown)(...given) : UNKNOWN;
  }

  /** The names of all properties that a value can have. */
  function keysOf(node: ts.Expression | undefined): unknown {
    const names = node ? checker.getTypeAtLocation(node).getProperties() : [];
    return names.length > 0 ? names.map(({ name }) => name) : UNKNOWN;
  }

  function call(node: Func, given: unknown[], outer: Env): unknown {
    if (!node.body || depth >= DEEPEST_CALL) return UNKNOWN;
    const env: Env = new Map(outer);
    node.parameters.forEach((parameter, place) => {
      const value = () => {
        const argument = given[place];
        return argument === undefined && parameter.initializer
          ? evaluate(parameter.initializer, env)
          : argument;
      };
      env.set(parameter, value);
    });
    depth += 1;
    try {
      if (!ts.isBlock(node.body)) return evaluate(node.body, env);
      const result = run(node.body.statements, env);
      return result === null ? UNKNOWN : result[RETURNED];
    } finally {
      depth -= 1;
    }
  }

  /** The statements up to the first `return`. What they change is not followed. */
  function run(statements: readonly ts.Statement[], env: Env): { [RETURNED]: unknown } | null {
    for (const statement of statements) {
      if (ts.isReturnStatement(statement)) {
        return { [RETURNED]: statement.expression ? evaluate(statement.expression, env) : undefined };
      }
      if (ts.isIfStatement(statement)) {
        const way = truth(statement.expression, env) ? statement.thenStatement : statement.elseStatement;
        if (!way) continue;
        const result = run(ts.isBlock(way) ? way.statements : [way], env);
        if (result) return result;
      }
    }
    return null;
  }

  function ofIdentifier(node: ts.Identifier, env: Env): unknown {
    if (node.text === 'undefined') return undefined;
    return known(ofDeclaration(checker.getSymbolAtLocation(node), env), node);
  }

  function ofDeclaration(symbol: ts.Symbol | undefined, env: Env): unknown {
    if (!symbol) return UNKNOWN;
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = target.valueDeclaration;
    if (!declaration) return UNKNOWN;
    if (ts.isBindingElement(declaration)) return ofBinding(declaration, env);
    if (ts.isParameter(declaration)) return ofParameter(declaration, env);
    if (isFunc(declaration)) return (...given: unknown[]) => call(declaration, given, env);
    if (!ts.isVariableDeclaration(declaration) || !declaration.initializer) return UNKNOWN;
    const isConstant = (declaration.parent.flags & ts.NodeFlags.Const) !== 0;
    return isConstant ? evaluate(declaration.initializer, env) : UNKNOWN;
  }

  function ofBinding(element: ts.BindingElement, env: Env): unknown {
    const { parent } = element.parent;
    let object: unknown;
    if (ts.isParameter(parent)) object = ofParameter(parent, env);
    else if (ts.isBindingElement(parent)) object = ofBinding(parent, env);
    else object = parent.initializer ? evaluate(parent.initializer, env) : UNKNOWN;
    if (object === UNKNOWN || object === null || object === undefined) return UNKNOWN;
    const key = ts.isObjectBindingPattern(element.parent)
      ? (element.propertyName ?? element.name).getText()
      : String(element.parent.elements.indexOf(element));
    const value = (object as Record<string, unknown>)[key];
    return value === undefined && element.initializer ? evaluate(element.initializer, env) : value;
  }

  function ofParameter(parameter: ts.ParameterDeclaration, env: Env): unknown {
    const bound = env.get(parameter) ?? callerEnvs.get(parameter);
    if (bound) return bound();
    const of = parameter.parent;
    if (!isFunc(of)) return UNKNOWN;
    const calls = callers.get(of) ?? [];
    if (calls.length === 0 || callerEnvs.size > 40) return UNKNOWN;
    const from = calls[choose(`caller of ${of.getSourceFile().fileName}:${of.pos}`, calls.length)];
    of.parameters.forEach((each, place) => {
      const argument = from?.arguments[place];
      callerEnvs.set(each, () => {
        if (argument) return evaluate(argument, new Map());
        return each.initializer ? evaluate(each.initializer, new Map()) : undefined;
      });
    });
    return callerEnvs.get(parameter)?.();
  }

  return {
    valuesOf(expression) {
      const values = new Set<unknown>();
      path = [];
      for (let ways = 0; ; ways += 1) {
        if (ways > MOST_WAYS) throw new Unresolved('too many ways');
        at = 0;
        depth = 0;
        chosen = new Map();
        callerEnvs = new Map();
        const value = evaluate(expression, new Map());
        if (value === UNKNOWN) throw new Unresolved(expression.getText());
        values.add(value);
        path.length = at;
        while (path.length > 0 && path.at(-1)!.taken + 1 === path.at(-1)!.of) path.pop();
        const last = path.at(-1);
        if (!last) return [...values];
        last.taken += 1;
      }
    },
  };
}

/** The calls of every function, by its declaration. */
function callsOf(
  checker: ts.TypeChecker,
  sources: readonly ts.SourceFile[],
): Map<ts.Node, ts.CallExpression[]> {
  const calls = new Map<ts.Node, ts.CallExpression[]>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const symbol = checker.getSymbolAtLocation(node.expression);
      const target =
        symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      let declaration: ts.Node | undefined = target?.valueDeclaration;
      if (declaration && ts.isVariableDeclaration(declaration)) declaration = declaration.initializer;
      if (declaration && isFunc(declaration)) {
        calls.set(declaration, [...(calls.get(declaration) ?? []), node]);
      }
    }
    node.forEachChild(visit);
  };
  for (const source of sources) visit(source);
  return calls;
}
