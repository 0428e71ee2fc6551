import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { environmentName } from '../src/settings/load-settings.ts';
import { SETTING_NAMES, type SettingName } from '../src/settings/settings-table.ts';
import { DemoFailure } from './failure.ts';
import { PATIENCE_MS, within } from './waiting.ts';

const PROGRAM = path.join(import.meta.dirname, '..', 'bin', 'coursewire.js');
const STOP_DEADLINE_MS = 10_000;
const TAIL_LINES = 20;
const MAX_TAIL_LINE_CHARACTERS = 300;

/** Settings as the environment gives them. */
export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>;

/**
 * The service in a separate process, which gets its settings from the environment and writes its log to a file. Disposing
 * stops it.
 */
export class ServiceProcess implements AsyncDisposable {
  readonly logFile: string;
  /** With the port that the service listens on, once that is known. */
  #settings: SettingTexts;
  readonly #child: ChildProcess;
  readonly #log: WriteStream;
  readonly #tail: string[] = [];
  readonly #url = Promise.withResolvers<string>();
  readonly #ended = Promise.withResolvers<void>();
  #isStopping = false;

  /** Starts it; `onDeath` is called when it ends by itself. */
  constructor(settings: SettingTexts, logFile: string, onDeath: (failure: DemoFailure) => void) {
    this.logFile = logFile;
    this.#settings = settings;
    this.#log = createWriteStream(logFile);
    this.#child = spawn(process.execPath, [PROGRAM, 'serve'], {
      env: environmentOf(settings),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#url.promise.catch(() => {});
    for (const output of [this.#child.stdout, this.#child.stderr]) this.#follow(output as Readable);

    const die = (how: string) => {
      this.#log.end();
      this.#ended.resolve();
      if (this.#isStopping) return;
      const failure = new DemoFailure(`the service ended by itself, ${how}`, this.tail());
      this.#url.reject(failure);
      onDeath(failure);
    };
    this.#child.once('error', (error) => die(`it could not be run: ${error.message}`));
    this.#child.once('close', (code, killedBy) =>
      die(code === null ? `killed by ${killedBy}` : `with exit code ${code}`),
    );
    // No service is left behind, however this process ends.
    process.once('exit', this.#kill);
  }

  /** The URL of the service. @throws {DemoFailure} if it ends instead, or takes too long. */
  async ready(signal: AbortSignal): Promise<string> {
    const url = await within(
      { what: 'the service is ready', deadlineMs: PATIENCE_MS, signal },
      async (limit) => await Promise.race([this.#url.promise, rejectionOf(limit)]),
    );
    const answer = await within(
      { what: 'the service answers /health/ready', deadlineMs: PATIENCE_MS, signal },
      async (limit) => await fetch(`${url}/health/ready`, { signal: limit }),
    );
    if (!answer.ok) throw new DemoFailure(`/health/ready answers ${answer.status}`, this.tail());
    return url;
  }

  /** Runs a command on the same folder while the service is running, and returns its output. */
  async runCommand(args: readonly string[], signal: AbortSignal): Promise<string> {
    const name = `coursewire ${args.slice(0, 2).join(' ')}`;
    return await within({ what: name, deadlineMs: PATIENCE_MS, signal }, async (limit) => {
      const options = { env: environmentOf(this.#settings), signal: limit };
      try {
        return (await promisify(execFile)(process.execPath, [PROGRAM, ...args], options)).stdout;
      } catch (error) {
        limit.throwIfAborted();
        const { stderr = String(error) } = error as { stderr?: string };
        throw new DemoFailure(`${name} failed`, stderr.trim().split('\n'));
      }
    });
  }

  /** The latest lines of the log, and the path of the log. */
  tail(): string[] {
    return [`The end of ${this.logFile}:`, ...this.#tail];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    this.#child.kill('SIGTERM');
    const killing = setTimeout(this.#kill, STOP_DEADLINE_MS);
    await this.#ended.promise;
    clearTimeout(killing);
    process.off('exit', this.#kill);
    await finished(this.#log).catch(() => {});
  }

  readonly #kill = (): void => {
    this.#child.kill('SIGKILL');
  };

  #follow(output: Readable): void {
    createInterface({ input: output }).on('line', (line) => {
      this.#log.write(`${line}\n`);
      this.#tail.push(line.slice(0, MAX_TAIL_LINE_CHARACTERS));
      if (this.#tail.length > TAIL_LINES) this.#tail.shift();
      const url = addressIn(line);
      if (url === null) return;
      // Commands write links to the service, which may have got any free port.
      this.#settings = { ...this.#settings, port: new URL(url).port };
      this.#url.resolve(url);
    });
  }
}

/** The environment without settings for another service. */
function environmentOf(settings: SettingTexts): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of SETTING_NAMES) {
    delete environment[environmentName(name)];
    const text = settings[name];
    if (text !== undefined) environment[environmentName(name)] = text;
  }
  return environment;
}

/** The URL in the log line that the service writes once it listens. */
function addressIn(line: string): string | null {
  if (!line.includes('"url"')) return null;
  try {
    const entry = JSON.parse(line) as { class?: unknown; url?: unknown };
    return entry.class === 'Service' && typeof entry.url === 'string' ? entry.url : null;
  } catch {
    return null;
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
