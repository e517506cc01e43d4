import type { Command } from 'commander';
import { addCommands } from './commands';
import { createProgram } from './program';

/** docs/cli.md, generated from the commands: `npm run docs:cli` writes it. */
export function cliReference(): string {
  const program = createProgram();
  addCommands(program);
  const shown = program.commands.filter((command) => !isHidden(command));
  return `# The herald command

\`npx herald …\` uses \`DATABASE_URL\`, \`TEMPORAL_ADDRESS\` and \`HERALD_ENCRYPTION_KEY\`, or the embedded service that runs with
\`HERALD_DATA_DIR\` (\`.herald\`). Run it with the settings of the service. Errors are one sentence on standard error, with a non-zero
exit code. Times are \`2026-01-31T12:00:00Z\`, or an age: \`90s\`, \`30m\`, \`2h\`, \`7d\`. What to do when something is wrong is in
[operations.md](operations.md#runbooks).

${shown.map(section).join('\n')}
This page is generated from \`src/process/cli\` by \`npm run docs:cli\`.
`;
}

/** Commander has no getter for it. */
function isHidden(command: Command): boolean {
  return (command as Command & { _hidden?: boolean })._hidden === true;
}

function section(command: Command): string {
  const leaves = command.commands.length > 0 ? command.commands : [command];
  return `## herald ${command.name()}

${sentence(command.description())}

${leaves.map((leaf) => described(leaf, leaf === command ? '' : `${command.name()} `)).join('\n')}`;
}

function described(command: Command, group: string): string {
  const given = command.registeredArguments.map((argument) => {
    const shown = `${argument.name()}${argument.variadic ? '…' : ''}`;
    return argument.required ? ` <${shown}>` : ` [${shown}]`;
  });
  const options = command.options.map(
    ({ flags, description, mandatory }) =>
      `  - \`${flags}\`${mandatory ? ' (required)' : ''}${description && `: ${description}`}`,
  );
  const does = group === '' ? '' : `: ${command.description()}`;
  return [`- \`herald ${group}${command.name()}${given.join('')}\`${does}`, ...options, ''].join('\n');
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;
}

if (require.main === module) process.stdout.write(cliReference());
