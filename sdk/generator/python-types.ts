import { namedSchemas, pascalCase, type NamedSchemas, type Schema, type SdkModel } from './model';
import { docstring, isIdentifier, literal, NOTICE, pascalName, union } from './python-words';

/** Writes the types of one named schema: classes for its objects first, because an alias is evaluated at once. */
export class TypeWriter {
  readonly blocks: string[] = [];
  /** The types of the fields of the schema itself. */
  readonly fieldTypes = new Map<string, string>();
  private readonly used = new Set<string>();

  constructor(
    private readonly named: NamedSchemas,
    private readonly self: string,
    private readonly root: Schema,
    /** Stands before every name, for use in another module. */
    private readonly module = '',
  ) {
    for (const [key, part] of Object.entries(root.$defs ?? {})) this.declare(this.definitionName(key), part);
  }

  /** Declares `name` as this schema: a TypedDict for an object, otherwise an alias. */
  declare(name: string, schema: Schema, summary = ''): void {
    if (isRecord(schema)) this.blocks.push(this.typedDict(name, schema, summary));
    else this.blocks.push(`${summary && `# ${summary}\n`}${name} = ${this.typeOf(schema, name, true)}\n`);
  }

  /** `evaluated`: where Python evaluates the type, a name that may come later is quoted. */
  typeOf(schema: Schema, name: string, evaluated = false): string {
    if (schema.$ref !== undefined) {
      const key = /^#\/\$defs\/(.+)$/.exec(schema.$ref)?.[1];
      return `"${this.module}${key === undefined ? this.self : this.definitionName(key)}"`;
    }
    const known = schema === this.root ? undefined : this.named.find(schema);
    if (known !== undefined) return evaluated ? `"${this.module}${known}"` : this.module + known;
    const either = schema.anyOf ?? schema.oneOf;
    if (either) {
      return union(
        either.map((each, at) => this.typeOf(each, `${name}${isRecord(each) ? at + 1 : ''}`, evaluated)),
      );
    }
    if (schema.allOf) return 'Any';
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    if (Array.isArray(schema.type)) {
      return union(schema.type.map((type) => this.typeOf({ ...schema, type }, name, evaluated)));
    }
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `List[${schema.items ? this.typeOf(schema.items, `${name}Item`, evaluated) : 'Any'}]`;
      case 'object':
        return this.objectType(schema, name, evaluated);
      default:
        return 'Any';
    }
  }

  private objectType(schema: Schema, name: string, evaluated: boolean): string {
    if (isRecord(schema)) {
      const own = this.unique(name);
      this.declare(own, schema);
      return this.module + own;
    }
    const { additionalProperties: more } = schema;
    return `Dict[str, ${typeof more === 'object' ? this.typeOf(more, `${name}Value`, evaluated) : 'Any'}]`;
  }

  private unique(name: string): string {
    let own = name;
    for (let at = 2; this.used.has(own); at++) own = `${name}${at}`;
    this.used.add(own);
    return own;
  }

  private typedDict(name: string, { properties = {}, required = [] }: Schema, summary: string): string {
    const fields = Object.entries(properties).map(([key, field]) => {
      const isOdd = !isIdentifier(key);
      return { key, field, isOdd, isRequired: required.includes(key) };
    });
    if (fields.some(({ isOdd }) => isOdd)) {
      const entries = fields.map(({ key, field, isRequired }) => {
        const type = this.typeOf(field, name + pascalName(key), true);
        if (name === this.self) this.fieldTypes.set(key, type);
        return `    ${literal(key)}: ${isRequired ? type : `NotRequired[${type}]`},\n`;
      });
      return `${summary && `# ${summary}\n`}${name} = TypedDict(${literal(name)}, {\n${entries.join('')}})\n`;
    }
    const lines = fields.map(({ key, field, isRequired }) => {
      const type = this.typeOf(field, name + pascalName(key));
      if (name === this.self) this.fieldTypes.set(key, type);
      const doc = field.description ? `    ${docstring(field.description, '    ')}` : '';
      return `    ${key}: ${isRequired ? type : `NotRequired[${type}]`}\n${doc}`;
    });
    return `class ${name}(TypedDict):\n${summary && `    ${docstring(summary, '    ')}\n`}${lines.join('')}`;
  }

  private definitionName(key: string): string {
    return `${this.self}${pascalCase(key.replaceAll(/\W|_/g, ''))}`;
  }
}

/** An object whose fields are known, all of them: a TypedDict has no others. */
export function isRecord({ type, properties, additionalProperties: more }: Schema): boolean {
  return type === 'object' && Object.keys(properties ?? {}).length > 0 && typeof more !== 'object';
}

export function typesFile(model: SdkModel): string {
  const named = namedSchemas(model);
  const aliases: string[] = [];
  const blocks = named.all.flatMap(({ name, schema, summary }) => {
    const same = named.find(schema);
    if (same && same !== name) {
      aliases.push(`${name} = ${same}\n`);
      return [];
    }
    const writer = new TypeWriter(named, name, schema);
    writer.declare(name, schema, summary);
    return writer.blocks;
  });
  const events = model.events.map(({ name }) => ({ name, type: pascalName(name) }));
  const eventTypes = events.map(
    ({ name, type }) =>
      `class ${type}Event(TypedDict):\n    event: Literal["${name}"]\n    data: ${type}Data\n`,
  );
  return `${NOTICE}from __future__ import annotations

import sys
from typing import Any, Dict, List, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired


${blocks.join('\n\n')}

${aliases.join('')}

${eventTypes.join('\n\n')}

# The body of a delivery: \`event\` says which type \`data\` has.
WebhookEvent = Union[
${events.map(({ type }) => `    ${type}Event,\n`).join('')}]

# The error codes of this version; a later service may return others.
ErrorCode = Literal[
${model.errorCodes.map((code) => `    "${code}",\n`).join('')}]
`;
}
