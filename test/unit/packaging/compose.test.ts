import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { roleNames } from '../../../src/base/config';
import { loadConfig, settings } from '../../../src/process/settings';
import { searchAttributeTypes } from '../../../src/base/temporal/names';
import { readPacked } from '../../support/packed-file';

const root = path.join(__dirname, '..', '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

interface ComposeService {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  volumes?: string[];
  read_only?: boolean;
}

const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as { services: Record<string, ComposeService>; volumes: object };
const { services } = compose;
const ours = Object.entries(services).filter(([, service]) => service.build !== undefined);
const env = (value: string) => text.match(new RegExp(`\\$\\{${value}:\\?`));

describe('docker-compose.yml', () => {
  it('is valid by the Compose specification', () => {
    const file = path.join(__dirname, 'schemas', 'compose-spec.json.br');
    const schema = JSON.parse(readPacked(file).toString()) as object;
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv
      .addFormat('ports', true)
      .addFormat('expose', true)
      .addFormat('duration', /^(\d+(h|m|s|ms|us|µs|ns))+$/);
    ajv.addFormat('subnet_ip_address', true);
    const validate = ajv.compile(schema);
    expect(validate(compose) ? [] : validate.errors).toEqual([]);
    // The schema is one that refuses things.
    expect(validate({ services: { api: { imagee: 'x' } } })).toBe(false);
  });

  it('runs each role in a container of its own', () => {
    const roles = ours.map(([, { command }]) => command?.at(-1));
    expect([...roles].sort()).toEqual([...roleNames].sort());
  });

  it('gives our containers only settings that exist, and enough to start with', () => {
    for (const [name, { environment = {}, command }] of ours) {
      const unknown = Object.keys(environment).filter((setting) => !(setting in settings().shape));
      expect({ name, unknown }).toEqual({ name, unknown: [] });
      const given = Object.fromEntries(
        Object.entries(environment).map(([setting, value]) => [setting, interpolated(String(value))]),
      );
      const config = loadConfig({ ...given, NODE_ENV: 'production' }, command?.at(-1));
      expect(config).toMatchObject({ development: false, host: '0.0.0.0', PORT: 3000 });
    }
  });

  it('asks for nothing in the environment that is not a setting or the password of the database', () => {
    const asked = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map((match) => match[1] ?? '');
    const unknown = asked.filter((name) => !(name in settings().shape) && name !== 'POSTGRES_PASSWORD');
    expect(unknown).toEqual([]);
  });

  it('refuses to start without its secrets, and holds none itself', () => {
    for (const name of ['POSTGRES_PASSWORD', 'HERALD_ENCRYPTION_KEY', 'HERALD_PUBLIC_URL']) {
      expect(env(name)).not.toBeNull();
    }
    for (const { environment = {} } of Object.values(services)) {
      for (const [name, value] of Object.entries(environment)) {
        if (/PASSWORD|PWD|SECRET|TOKEN|ENCRYPTION/.test(name)) expect(String(value)).toMatch(/^\$\{/);
      }
    }
  });

  it('asks every lasting container for its health, and starts each after what it needs', () => {
    for (const [name, service] of Object.entries(services)) {
      if (['temporal-schema', 'temporal-namespace', 'temporal-ui'].includes(name)) continue;
      expect({ name, test: service.healthcheck?.test }).toEqual({ name, test: expect.any(Array) });
    }
    for (const [, { depends_on }] of ours) {
      expect(depends_on).toEqual({
        postgres: { condition: 'service_healthy' },
        temporal: { condition: 'service_healthy' },
        'temporal-namespace': { condition: 'service_completed_successfully' },
      });
    }
  });

  it('registers exactly the search attributes that the code uses', () => {
    const script = services['temporal-namespace']?.command?.join('\n') ?? '';
    const flags = script.matchAll(/--name=(\w+) --type=(\w+)/g);
    expect(Object.fromEntries([...flags].map(([, name, type]) => [name, type]))).toEqual(
      searchAttributeTypes,
    );
  });

  it('pins every image of others to a version', () => {
    for (const { image, build } of Object.values(services)) {
      if (build === undefined) expect(image).toMatch(/:\d+/);
    }
  });

  it('keeps the database and Temporal off the network of the machine', () => {
    expect(services['postgres']?.ports).toBeUndefined();
    expect(services['temporal']?.ports).toBeUndefined();
    expect(services['temporal-ui']?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
  });
});

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  const stages = dockerfile.split(/^FROM /m).slice(1);

  it('is built in stages on glibc, runs as an ordinary user and has no development dependencies', () => {
    expect(stages.length).toBeGreaterThan(1);
    for (const stage of stages) expect(stage).toMatch(/^(node:\d+-bookworm-slim|build)\b/);
    expect(stages.at(-1)).toMatch(/^USER node$/m);
    expect(stages[0]).toContain('npm prune --omit=dev');
  });

  it('gets every file that its build needs', () => {
    const admitted = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const file of admitted) {
      expect({ file, exists: existsSync(path.join(root, file)) }).toEqual({ file, exists: true });
    }
    const { include } = JSON.parse(read('tsconfig.build.json')) as { include: string[] };
    for (const file of [...include, 'web', 'vite.config.mjs', 'bin', 'package-lock.json']) {
      expect(admitted).toContain(file);
    }
  });
});

function interpolated(value: string): string {
  const given: Record<string, string> = {
    POSTGRES_PASSWORD: 'secret',
    HERALD_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    HERALD_PUBLIC_URL: 'https://herald.example.com',
  };
  return value.replaceAll(
    /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
    (_all, name: string, fallback: string | undefined) => {
      return given[name] ?? fallback ?? '';
    },
  );
}
