import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { environmentName } from '../../src/settings/load-settings.ts';
import type { SettingName, Settings } from '../../src/settings/settings-table.ts';
import { DEADLINE_MS } from './deadline.ts';
import type { LogLine } from './logs.ts';
import { databaseUrlOf } from './postgres.ts';

/** A start needs much of a processor, and several programs may start at once. */
const START_DEADLINE_MS = 2 * DEADLINE_MS;
const MAIN = path.join(import.meta.dirname, '../../bin/coursewire.js');
const NPM_START = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'))
  .scripts.start;
/** The options that `npm start` passes to `node`. Without them, the process would need more memory than that of users. */
const START_OPTIONS: readonly string[] = NPM_START.split(' ').filter((word: string) => word.startsWith('--'));

/** How a process ended: by itself, or by a signal. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The service in its own process, which is killed on disposal. */
export interface ServingProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** The log lines so far. */
  readonly logLines: readonly LogLine[];
  readonly ended: Promise<ProcessEnd>;
  /** The whole standard error, once the process has ended. */
  readonly errorText: Promise<string>;
  /** Sends a signal and returns how the process ended. */
  end(signal: NodeJS.Signals): Promise<ProcessEnd>;
}

/** Settings as an environment names them. */
export type TextSettings = Partial<Record<SettingName, string | number | boolean>>;

/** The environment of a program with these settings. */
export function environment(settings: TextSettings): Record<string, string> {
  const named = Object.entries(settings).map(([name, value]) => [
    environmentName(name as SettingName),
    String(value),
  ]);
  const aws = Object.entries(process.env).filter(([name]) => name.startsWith('AWS_'));
  return { PATH: process.env.PATH ?? '', ...Object.fromEntries(aws), ...Object.fromEntries(named) } as Record<
    string,
    string
  >;
}

/** The setting for the database of the data folder, if the run is on PostgreSQL. */
export async function databaseSetting({ data_dir }: TextSettings): Promise<TextSettings> {
  const url = data_dir === undefined ? null : await databaseUrlOf(String(data_dir));
  return url === null ? {} : { database_url: url };
}

/**
 * Starts `serve` on a free port, with quick retries unless `settings` say otherwise, and waits until it is ready.
 * @param clockAheadMs how far the clock of its machine is ahead.
 * @param preload sources of modules that it runs before the program.
 * @param env further variables of its environment.
 * @param within the command that runs it, if it is not run directly. Signals go to that command.
 */
export async function startProcess(
  settings: TextSettings & Pick<Settings, 'data_dir'>,
  {
    clockAheadMs = 0,
    preload = [],
    env = {},
    within = [],
  }: {
    clockAheadMs?: number;
    preload?: string | readonly string[];
    env?: Readonly<Record<string, string>>;
    within?: readonly string[];
  } = {},
): Promise<ServingProcess> {
  const shifted = `const { now } = Date; Date.now = () => now() + ${clockAheadMs}`;
  const modules = [...(clockAheadMs === 0 ? [] : [shifted]), ...[preload].flat()];
  const imports = modules.flatMap(imported);
  const [command = '', ...args] = [...within, process.execPath, ...START_OPTIONS, ...imports, MAIN, 'serve'];
  const child = spawn(command, args, {
    env: {
      ...environment({
        ...(await databaseSetting(settings)),
        port: 0,
        retry_initial_delay: 0.02,
        retry_max_delay: 0.1,
        ...settings,
      }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = endOf(child);
  const errorText = text(child.stderr);
  const logLines: LogLine[] = [];
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  // `readline` would end lines at U+2028, which JSON may contain unescaped.
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    // An incomplete line, which a killed process never completes.
    rest = lines.pop()!;
    for (const line of lines) {
      const parsed = JSON.parse(line);
      logLines.push(parsed);
      if (typeof parsed.url === 'string' && /^ready at /.test(parsed.msg)) resolve(parsed.url);
    }
  });
  const deadline = setTimeout(
    () =>
      reject(
        new Error(`the program did not start within ${START_DEADLINE_MS} ms: ${JSON.stringify(logLines)}`),
      ),
    START_DEADLINE_MS,
  );
  void ended.then(async (end) => {
    reject(new Error(`the program ended instead of starting: ${JSON.stringify(end)} ${await errorText}`));
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return await ended;
  };
  try {
    const url = await ready;
    return {
      url,
      pid: child.pid!,
      logLines,
      ended,
      errorText,
      end,
      [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
    };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

/** The arguments of Node that run the source of a module before the program. */
function imported(source: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
}

/**
 * Runs the program with arguments to its end.
 * @param preload the source of a module that it runs before the program.
 * @throws {Error} with its output, if it does not end in time; it is then killed.
 */
export async function runProgram(
  args: readonly string[],
  settings: TextSettings & Pick<Settings, 'data_dir'>,
  { preload }: { preload?: string } = {},
): Promise<ProcessEnd & { output: string; errors: string }> {
  const child = spawn(
    process.execPath,
    [...(preload === undefined ? [] : imported(preload)), MAIN, ...args],
    {
      env: environment({ ...(await databaseSetting(settings)), ...settings }),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, DEADLINE_MS);
  const [end, output, errors] = await Promise.all([endOf(child), text(child.stdout), text(child.stderr)]);
  clearTimeout(deadline);
  if (isLate) throw new Error(`"${args.join(' ')}" did not end within ${DEADLINE_MS} ms: ${output}${errors}`);
  return { ...end, output, errors };
}

async function endOf(child: ChildProcess): Promise<ProcessEnd> {
  const [code, signal] = await once(child, 'close');
  return { code, signal };
}
