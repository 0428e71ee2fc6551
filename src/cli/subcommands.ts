import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { ProblemError } from '../problems/problem.ts';
import { quote } from '../settings/parser.ts';
import { FAILURE, SUCCESS, UsageError, WRONG_USE } from './exit.ts';

const HELP_OPTION = { help: { type: 'boolean', short: 'h' } } as const;

/** Options that several commands take. */
export const JSON_OPTION = { json: { type: 'boolean' } } as const;
/** An option that has a text. */
export const TEXT_OPTION = { type: 'string' } as const;

/** Where a command writes. */
export interface Output {
  /** Receives the output. */
  write: (text: string) => void;
  /** Receives error messages. */
  writeError: (text: string) => void;
}

/** A command such as `client create`. */
export interface Subcommand<Context extends Output> {
  help: string;
  options: ParseArgsOptionsConfig;
  /** The positional argument, such as `CLIENT_ID`, or null if there is none. */
  positional: string | null;
  /** Returns the exit code. */
  run(context: Context, given: Given): Promise<number>;
}

/** The arguments of a command, checked for form. */
export interface Given {
  text(option: string): string | undefined;
  flag(option: string): boolean;
  /** Empty when the command takes none. */
  positional: string;
}

/** The commands behind one word, such as `client`. */
export interface CommandGroup<Context extends Output> {
  name: string;
  help: string;
  commands: ReadonlyMap<string, Subcommand<Context>>;
}

/**
 * Runs `coursewire <group> …`; `args` are what follows the group's name. Returns the exit code, 2 for wrong
 * use.
 */
export async function runSubcommand<Context extends Output>(
  group: CommandGroup<Context>,
  args: readonly string[],
  context: Context,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h') {
    context.write(group.help);
    return SUCCESS;
  }
  const command = group.commands.get(name ?? '');
  try {
    if (command === undefined) throw unknownCommand(group, name);
    const given = parse(command, rest);
    if (given === null) {
      context.write(command.help);
      return SUCCESS;
    }
    return await command.run(context, given);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const asking = command === undefined ? group.name : `${group.name} ${name}`;
    return writeWrongUse(context, error.message, asking);
  }
}

/** Writes what is wrong with the arguments of `coursewire <asking> …`, and returns the exit code. */
export function writeWrongUse({ writeError }: Output, fault: string, asking: string): number {
  // Node adds how to pass a positional argument that begins with a hyphen. No command has such an argument.
  const withoutAdvice = fault.replace(/\. To specify a positional argument.*/s, '.');
  writeError(`coursewire: ${withoutAdvice}\nSee "coursewire ${asking} --help".\n`);
  return WRONG_USE;
}

/** Writes an error and returns its exit code. */
export function writeFailure({ writeError }: Output, text: string): number {
  writeError(text);
  return FAILURE;
}

/** A remark for the person who runs a command. `text` has no last full stop. */
export function noteText(text: string): string {
  return `Note: ${text}.\n`;
}

/** The texts of required options. @throws {UsageError} naming each missing option */
export function needed<const Names extends readonly string[]>(
  given: Given,
  ...names: Names
): Record<Names[number], string> {
  const found = names.map((name) => [name, given.text(name)] as const);
  const missing = found.flatMap(([name, text]) => (text === undefined ? [`--${name}`] : []));
  if (missing.length > 0) {
    throw new UsageError(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`);
  }
  return Object.fromEntries(found) as Record<Names[number], string>;
}

/** Runs code that validates option values. @throws {UsageError} naming the invalid options */
export async function withOptionsChecked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.errors.length === 0) throw error;
    const faults = error.errors.map(({ pointer, detail }) => `--${pointer.slice(1)} ${detail}.`);
    throw new UsageError(faults.join('\n'), { cause: error });
  }
}

/** How a list is printed for people. */
export interface ListWords<Row> {
  /** The text for an empty list. */
  none: string;
  columns: readonly string[];
  /** A cell for each of the columns. */
  cells: (row: Row) => readonly string[];
}

/** Prints a list, with `--json` as JSON. Returns the exit code. */
export function writeList<Row>(
  { write }: Output,
  given: Given,
  rows: readonly Row[],
  { none, columns, cells }: ListWords<Row>,
): number {
  if (given.flag('json')) write(toJson(rows));
  else if (rows.length === 0) write(none);
  else write(toTable([columns, ...rows.map(cells)]));
  return SUCCESS;
}

/**
 * Writes that the object of a command does not exist, and returns the exit code.
 * @param what the kind of thing, for people
 * @param group the commands whose `list` shows those that exist
 */
export function writeMissing(output: Output, what: string, id: string, group: string): number {
  const sentence = `There is no ${what} ${JSON.stringify(id)}. List them with "coursewire ${group} list".\n`;
  return writeFailure(output, sentence);
}

/** A value as JSON. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Rows as columns of equal width. */
function toTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const aligned = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return aligned.map((line) => `${line.trimEnd()}\n`).join('');
}

function unknownCommand<Context extends Output>(
  group: CommandGroup<Context>,
  name: string | undefined,
): UsageError {
  const known = [...group.commands.keys()].join(', ');
  return new UsageError(
    name === undefined
      ? `A command is missing: one of ${known}.`
      : `Unknown command ${quote(name)}. The commands are ${known}.`,
  );
}

/** @param tokens of `parseArgs` @throws {UsageError} if an option is repeated: only its last value would count */
export function assertOptionsOnce(tokens: readonly { kind: string; name?: string }[]): void {
  const names = tokens.flatMap(({ kind, name }) => (kind === 'option' && name !== undefined ? [name] : []));
  const repeated = names.find((name, place) => names.indexOf(name) !== place);
  if (repeated !== undefined) throw new UsageError(`Use --${repeated} only once.`);
}

/** Null if help is requested. */
function parse<Context extends Output>(command: Subcommand<Context>, args: string[]): Given | null {
  const { values, positionals, tokens } = parseStrictly(command.options, args);
  if (values.help === true) return null;
  assertOptionsOnce(tokens);
  const [positional, ...extra] = command.positional === null ? ['', ...positionals] : positionals;
  if (positional === undefined) throw new UsageError(`The ${command.positional} is missing.`);
  if (extra.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(extra[0])}.`);
  return {
    text: (option) => {
      const value = values[option];
      return typeof value === 'string' ? value : undefined;
    },
    flag: (option) => values[option] === true,
    positional,
  };
}

function parseStrictly(own: ParseArgsOptionsConfig, args: string[]) {
  const options: ParseArgsOptionsConfig = { ...own, ...HELP_OPTION };
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true, tokens: true });
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
