import type { ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import packageFile from '../package.json' with { type: 'json' };
import { endProcess, type Workplace } from './workplace.ts';

/** The arguments of `node` that `npm start` uses: what follows `exec node`. */
const START_ARGUMENTS = packageFile.scripts.start.split(' ').slice(2);
const START_DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 20;
const STOP_DEADLINE_MS = 20_000;
const LOG_TAIL_CHARACTERS = 2_000;
const KIB_PER_MIB = 1_024;
const NS_PER_MS = 1_000_000;

/** The real program in its own process, with default settings except for the data folder and the port. */
export class ServiceProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #logFile: string;

  private constructor(child: ChildProcess, logFile: string) {
    this.#child = child;
    this.#logFile = logFile;
  }

  /** Starts it without waiting until it is ready. With `profileFolder`, it writes a CPU profile there when it ends. */
  static start(
    workplace: Workplace,
    {
      dataFolder,
      databaseUrl,
      queue,
      profileFolder,
    }: {
      dataFolder: string;
      databaseUrl: string | null;
      /** The environment that selects its queue. */
      queue: Record<string, string>;
      profileFolder: string | null;
    },
  ): ServiceProcess {
    const logFile = `${dataFolder}.log`;
    const log = openSync(logFile, 'w');
    const profiling = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
    try {
      const child = workplace.spawnNode([...profiling, ...START_ARGUMENTS], {
        env: {
          PATH: process.env.PATH,
          DATA_DIR: dataFolder,
          PORT: '0',
          ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
          ...queue,
        },
        stdio: ['ignore', log, log],
      });
      return new ServiceProcess(child, logFile);
    } finally {
      closeSync(log);
    }
  }

  /** Resolves with its address when it listens. @throws {Error} with the end of its log if it does not start. */
  async ready(): Promise<string> {
    const end = performance.now() + START_DEADLINE_MS;
    while (this.#child.exitCode === null && performance.now() < end) {
      const line = /^.*"msg":"ready at.*$/m.exec(this.#log())?.[0];
      if (line !== undefined) return (JSON.parse(line) as { url: string }).url;
      await delay(LOOK_EVERY_MS);
    }
    throw new Error(`the service did not start: ${this.#log().slice(-LOG_TAIL_CHARACTERS)}`);
  }

  /** Its current memory, in MiB; null if the system does not report it. */
  memoryMib(): number | null {
    return this.#statusMib('VmRSS');
  }

  /** Its peak memory so far, in MiB; the current one if the system does not record the peak. */
  peakMemoryMib(): number | null {
    const most = this.#statusMib('VmHWM');
    if (most !== null) return most;
    try {
      const kib = execFileSync('ps', ['-o', 'rss=', '-p', String(this.#child.pid)], { encoding: 'utf8' });
      return Number(kib) / KIB_PER_MIB;
    } catch {
      return null;
    }
  }

  /** Stops the service as an operator would. */
  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#child, 'SIGTERM', STOP_DEADLINE_MS);
  }

  /** All its threads are in this process: it starts no others. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The CPU time of its current threads, in milliseconds, more precise than that of {@link pid}; null if not reported. */
  threadsCpuMs(): number | null {
    const folder = `/proc/${this.#child.pid}/task`;
    try {
      return readdirSync(folder).reduce((ms, thread) => {
        const [ns] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
        return ms + Number(ns) / NS_PER_MS;
      }, 0);
    } catch {
      // Not Linux.
      return null;
    }
  }

  #statusMib(name: 'VmHWM' | 'VmRSS'): number | null {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
      const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
      return kib === undefined ? null : Number(kib) / KIB_PER_MIB;
    } catch {
      // Not Linux.
      return null;
    }
  }

  #log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }
}
