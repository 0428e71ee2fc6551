import { BackgroundTask } from '../time/background-task.ts';
import type { Reader } from './database.ts';

/** A session that holds a lock that a migration needs, or waits for it first. */
export interface Blocker {
  /** The name of the program, such as `pg_dump`; empty if it gave none. */
  readonly application: string;
  /** Its process on the server. */
  readonly pid: number;
  /** When its transaction began, in ISO 8601; null if the server does not show it to this user. */
  readonly since: string | null;
}

/** Several times within the shortest wait for a lock. */
const READ_EVERY_MS = 250;

/** Remembers who blocks a session of PostgreSQL: once its statement has failed, the server no longer says. */
export class BlockerWatch implements AsyncDisposable {
  #last: readonly Blocker[] = [];
  #pid: number | null = null;
  readonly #task: BackgroundTask;

  /** @param reader on another connection than the session */
  constructor(reader: Pick<Reader, 'all'>) {
    this.#task = new BackgroundTask({
      round: async () => {
        if (this.#pid === null) return;
        const found = await readBlockers(reader, this.#pid);
        if (found.length > 0) this.#last = found;
      },
      firstPauseMs: READ_EVERY_MS,
      pauseMs: READ_EVERY_MS,
      // The session itself will say that the database is unavailable.
      onError: () => {},
    });
  }

  /** Starts to watch the session with this process on the server. */
  watch(pid: number): void {
    this.#pid = pid;
    this.#task.start();
  }

  /** Whether {@link watch} was called. */
  get isWatching(): boolean {
    return this.#pid !== null;
  }

  /** Who blocked the session most recently. */
  get last(): readonly Blocker[] {
    return this.#last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }
}

/** For people: `pg_dump (process 4711, in a transaction since …)`. */
export function describeBlockers(blockers: readonly Blocker[]): string {
  if (blockers.length === 0) return 'other sessions';
  return blockers
    .map(({ application, pid, since }) => {
      const transaction = since === null ? '' : `, in a transaction since ${since}`;
      return `${application || 'a program without a name'} (process ${pid}${transaction})`;
    })
    .join(', ');
}

async function readBlockers(reader: Pick<Reader, 'all'>, pid: number): Promise<Blocker[]> {
  const rows = await reader.all<{ application: string | null; pid: number; since: number | null }>(
    `select application_name as application, pid, (extract(epoch from xact_start) * 1000)::float8 as since
     from pg_stat_activity where pid = any(pg_blocking_pids(?::int)) order by pid`,
    pid,
  );
  return rows.map((row) => ({
    application: row.application ?? '',
    pid: row.pid,
    since: row.since === null ? null : new Date(row.since).toISOString(),
  }));
}
