import { parseArgs } from 'node:util';

/** What the command line says. */
export interface DemoOptions {
  readonly help: boolean;
  /** Ends after the walk instead of staying up. */
  readonly exit: boolean;
  /** Null: 8080, or any free port where it is taken. */
  readonly port: number | null;
  readonly keep: boolean;
  readonly wrongSecret: boolean;
}

export const HELP = `Usage: npm run demo -- [options]

Starts the service in a fresh folder with targets of its own, walks through its events over the HTTP interface,
and shows every postback as it arrives. Stays up to be looked at until Ctrl-C, which ends everything.

Options:
  --exit          ends after the walk: with 0 if everything arrived as it should, with 1 if anything is missing;
                  a headless browser learns the course, or the demo itself where no browser starts
  --port PORT     the service's port; 8080 when left out, or a free one where that is taken; 0 for any free one
  --keep          leaves the folder with database, course files and log where it is
  --wrong-secret  gives one receiver another secret than its webhook has, to see what the demo says then
  --help          writes this text

On a terminal there is a short pause between the steps, so that eyes can follow.
`;

const MAX_PORT = 65_535;

/** The arguments are not what the demo takes. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** @throws {UsageError} */
export function readOptions(args: readonly string[]): DemoOptions {
  const { exit, port, keep, 'wrong-secret': wrongSecret, help } = parse(args);
  return { help, exit, port: port === undefined ? null : readPort(port), keep, wrongSecret };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        exit: flag,
        port: { type: 'string' },
        keep: flag,
        'wrong-secret': flag,
        help: { ...flag, short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= MAX_PORT) return port;
  throw new UsageError(`--port is ${JSON.stringify(text)}; it must be a whole number from 0 to ${MAX_PORT}.`);
}
