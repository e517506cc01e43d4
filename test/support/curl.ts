import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readText } from './read-text';

const run = promisify(execFile);

/**
 * Does what the documented calls need of curl, so that tests do not depend on the machine's. The body goes to standard
 * output and the status to standard error.
 */
const curl = `
const args = process.argv.slice(1), headers = {};
let url, body, method;
while (args.length) {
  const next = args.shift();
  if (next === '-H') { const [name, value] = args.shift().split(': '); headers[name] = value; }
  else if (next === '-d' || next === '--data-binary') body = args.shift();
  else if (next === '-X') method = args.shift();
  else if (next === '-o') args.shift();
  else if (next !== '-s') url = next;
}
fetch(url, { method: method ?? (body ? 'POST' : 'GET'), headers, body }).then(async (r) => {
  process.stderr.write(String(r.status));
  console.log(await r.text());
});
`;

/** Runs a shell script whose `curl` is the one above. */
export function runWithCurl(
  script: string,
  env: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string }> {
  return run('bash', ['-euc', `curl() { node -e "$CURL" -- "$@"; }\n${script}`], {
    env: { ...process.env, ...env, CURL: curl },
  });
}

/** Lets a shell read a documented call, with its quotes and variables, and makes the request in this process. */
export async function callWithCurl(
  script: string,
  env: Record<string, string> = {},
  /** What `--data-binary @name` sends. */
  files: Record<string, Buffer> = {},
): Promise<{ status: number; body: string }> {
  const { stdout } = await run('bash', ['-euc', `curl() { printf '%s\\0' "$@"; }\n${script}`], {
    env: { ...process.env, ...env },
  });
  const args = stdout.split('\0');
  const valuesOf = (option: string) =>
    args.flatMap((arg, index) => (args[index - 1] === option ? [arg] : []));
  const url = args.find((arg) => arg.startsWith('http')) ?? '';
  const [body] = [...valuesOf('-d'), ...valuesOf('--data-binary')];
  const response = await fetch(url, {
    method: valuesOf('-X')[0] ?? (body === undefined ? 'GET' : 'POST'),
    headers: valuesOf('-H').map((header): [string, string] => {
      const [name = '', value = ''] = header.split(': ');
      return [name, value];
    }),
    ...(body === undefined
      ? {}
      : { body: body.startsWith('@') ? new Uint8Array(files[body.slice(1)] ?? []) : body }),
  });
  return { status: response.status, body: await readText(response) };
}
