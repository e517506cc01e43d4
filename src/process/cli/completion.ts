import type { Command } from 'commander';
import { oneOf } from './arguments';
import { commandTable, type CommandEntry } from './command-table';
import { print } from './output';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

const scripts: Record<Shell, (table: CommandEntry[]) => string> = { bash, zsh, fish };

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the script that completes commands in a shell')
    .argument('<shell>', shells.join(', '), oneOf(shells))
    .option('--json', 'print JSON')
    .action((shell: Shell, { json }: { json?: boolean }) => {
      const script = scripts[shell](commandTable(program));
      print({ shell, script }, json, () => script);
    });
}

/** Single-quoted for bash and zsh. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** Fish also reads backslashes inside single quotes. */
const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** What can follow a command: subcommands, values of its arguments, options. */
const wordsOf = ({ subcommands, values, options }: CommandEntry) => [
  ...subcommands.map(({ name }) => name),
  ...values,
  ...options.flatMap(({ flags }) => flags),
];

/** Cases `command option` of options that take a value; an empty list leaves the word to the shell. */
function valueCases(table: CommandEntry[], write: (values: readonly string[]) => string): string[] {
  return table.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flags, values }) => {
        const cases = flags.map((flag) => quoted(`${path} ${flag}`.trim())).join('|');
        return `    ${cases}) ${write(values)} ;;`;
      }),
  );
}

const pathCases = (table: CommandEntry[]) =>
  table
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join('|');

function bash(table: CommandEntry[]): string {
  const cases = table.map(
    (entry) => `    ${quoted(entry.path)}) offered=${quoted(wordsOf(entry).join(' '))} ;;`,
  );
  return `# Shell completion of herald for bash: source <(herald completion bash)
_herald() {
  local at='' next offered='' i current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case "$next" in
      ${pathCases(table)}) at="$next" ;;
    esac
  done
  COMPREPLY=()
  case "\${at:+$at }$previous" in
${valueCases(table, (values) => `COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$current")); return`).join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _herald herald`;
}

function zsh(table: CommandEntry[]): string {
  const described = (name: string, description: string) =>
    quoted(`${name}:${description.replaceAll(':', '\\:')}`);
  const cases = table.map(({ path, subcommands, values, options }) => {
    const items = [
      ...subcommands.map(({ name, description }) => described(name, description)),
      ...values.map((value) => quoted(value)),
      ...options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description))),
    ];
    return `    ${quoted(path)}) offered=(${items.join(' ')}) ;;`;
  });
  return `#compdef herald
# Shell completion of herald for zsh: source <(herald completion zsh)
_herald() {
  local at='' next i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    next="\${at:+$at }\${words[i]}"
    case "$next" in
      ${pathCases(table)}) at="$next" ;;
    esac
  done
  case "\${at:+$at }\${words[CURRENT - 1]}" in
${valueCases(table, (values) => (values.length === 0 ? '_files; return' : `compadd -- ${values.map(quoted).join(' ')}; return`)).join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  _describe 'herald' offered
}
compdef _herald herald`;
}

function fish(table: CommandEntry[]): string {
  const lines = table.flatMap(({ path, subcommands, values, options }) => {
    const start = `complete -c herald -n ${fishQuoted(`__herald_at "${path}"`)}`;
    return [
      ...subcommands.map(
        ({ name, description }) => `${start} -a ${fishQuoted(name)} -d ${fishQuoted(description)}`,
      ),
      ...(values.length > 0 ? [`${start} -a ${fishQuoted(values.join(' '))}`] : []),
      ...options.map(({ flags, takesValue, values: given, description }) => {
        const names = flags.map((flag) =>
          flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const value = !takesValue ? '' : given.length > 0 ? ` -x -a ${fishQuoted(given.join(' '))}` : ' -r';
        return `${start} ${names.join(' ')}${value} -d ${fishQuoted(description)}`;
      }),
    ];
  });
  const paths = table.filter(({ path }) => path !== '').map(({ path }) => fishQuoted(path));
  return `# Shell completion of herald for fish: herald completion fish | source
function __herald_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$at $word")
    contains -- $next ${paths.join(' ')}; and set at $next
  end
  test "$at" = "$argv[1]"
end
complete -c herald -f
${lines.join('\n')}`;
}
