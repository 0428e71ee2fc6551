import { parseArgs } from 'node:util';

/** Options of the command line. */
export interface DemoOptions {
  readonly help: boolean;
  /** Whether to stop after the steps instead of running until Ctrl-C. */
  readonly exit: boolean;
  /** Null: 8080, or any free port if 8080 is in use. */
  readonly port: number | null;
  readonly keep: boolean;
  readonly wrongSecret: boolean;
}

export const HELP = `Usage: npm run demo -- [options]

Starts the service and several targets in a fresh folder, triggers all events through the API, and shows every
postback as it arrives. Then keeps running until you press Ctrl-C.

Options:
  --exit          stop at the end, with exit code 0 if everything arrived as expected, otherwise 1; a headless
                  browser takes the course, or the demo itself if no browser starts
  --port PORT     port of the service; 0 for any free port; default: 8080, or any free port if 8080 is in use
  --keep          keep the folder with the database, course files and log
  --wrong-secret  give one receiver a different secret than its webhook, to see how the demo fails
  --help          show this text

On a terminal, the demo pauses briefly between steps.
`;

const MAX_PORT = 65_535;

/** Invalid arguments. */
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
