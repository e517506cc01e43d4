import { z } from 'zod';
import { settings } from './settings';

interface SettingSchema {
  description?: string;
  default?: unknown;
  enum?: string[];
  type?: string;
  minimum?: number;
  maximum?: number;
}

/** docs/configuration.md, generated from the schema of the settings: `npm run docs:configuration` writes it. */
export function configurationReference(): string {
  const { properties } = z.toJSONSchema(settings(), { io: 'input', unrepresentable: 'any' });
  const lines = Object.entries(properties ?? {}).map(
    ([name, schema]) => `| \`${name}\` | ${describeSetting(schema as SettingSchema)} |`,
  );
  return `# Configuration

Herald reads its settings from the environment when it starts. An empty variable counts as not set. With an invalid value
Herald does not start: it prints the name of the setting and what it should be, and exits with 78.

Without any settings \`npm start\` runs embedded servers for everything it needs. \`DATABASE_URL\` and \`TEMPORAL_ADDRESS\`
replace the embedded PostgreSQL and Temporal servers. Development means that the embedded PostgreSQL is used and
\`NODE_ENV\` is not \`production\`. Everything else is production.

| Setting | Values | Default | Description |
| --- | --- | --- | --- |
${lines.join('\n')}

This page is generated from \`src/base/config/index.ts\` and the messengers of \`src/domains/bots\` by \`npm run docs:configuration\`.
`;
}

function describeSetting(schema: SettingSchema): string {
  const fallback = schema.default === undefined ? '' : `\`${String(schema.default)}\``;
  return [takes(schema), fallback, schema.description ?? ''].join(' | ');
}

function takes({ enum: values, type, minimum, maximum }: SettingSchema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (type !== 'integer' && type !== 'number') return 'text';
  return minimum === undefined || maximum === undefined ? 'number' : `${minimum} to ${maximum}`;
}

if (require.main === module) process.stdout.write(configurationReference());
