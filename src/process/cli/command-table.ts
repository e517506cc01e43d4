import type { Command } from 'commander';
import { valuesOf } from './arguments';

interface OptionEntry {
  /** `--project`, `-v`. */
  flags: string[];
  description: string;
  takesValue: boolean;
  /** Empty: any. */
  values: readonly string[];
}

/** One command as its help shows it. */
export interface CommandEntry {
  /** Empty for `herald` itself, else as `deliveries list`. */
  path: string;
  subcommands: { name: string; description: string }[];
  /** What its arguments can be, where that is a list of words. */
  values: readonly string[];
  options: OptionEntry[];
}

/** The program and every command below it, without hidden ones. */
export function commandTable(program: Command, path = ''): CommandEntry[] {
  const help = program.createHelp();
  const subcommands = help.visibleCommands(program);
  const below = (name: string) => (path === '' ? name : `${path} ${name}`);
  const entry: CommandEntry = {
    path,
    subcommands: subcommands.map((command) => ({ name: command.name(), description: command.description() })),
    values: program.registeredArguments.flatMap(({ parseArg }) => valuesOf(parseArg)),
    options: help
      .visibleOptions(program)
      .map(({ short, long, description, required, optional, parseArg }) => ({
        flags: [short, long].filter((flag) => flag !== undefined),
        description,
        takesValue: required || optional,
        values: valuesOf(parseArg),
      })),
  };
  return [entry, ...subcommands.flatMap((command) => commandTable(command, below(command.name())))];
}
