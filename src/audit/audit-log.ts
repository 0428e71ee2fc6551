import type { Database } from '../database/database.ts';
import type { Page, PageRequest } from '../database/page.ts';
import { firstWithin } from '../database/step-bytes.ts';
import { notFound } from '../problems/problem.ts';
import { retainedSince } from '../time/retention.ts';
import {
  type AuditFilter,
  deleteAuditEntriesBefore,
  readAuditEntries,
  readAuditEntry,
  readLastIdBefore,
  type StoredAuditEntry,
} from './audit-store.ts';

/** Entries that a page examines at most, so that a search that finds little cannot block the service. */
const MAX_EXAMINED = 10_000;
/** Changes of a page, in characters. An entry about a webhook with many focuses is long. */
const MAX_PAGE_CHARACTERS = 1_000_000;
/** Entries that are written at the same time may have their times and their ids in a different order. */
const ID_SLACK = 1_000;

/** Dependencies of {@link AuditLog}. */
export interface AuditLogDependencies {
  database: Database;
  /** How long entries are kept. */
  days: number;
  now: () => number;
}

/** Who changed what and when. Entries are written with `recordAudit`, in the transaction of the change. */
export class AuditLog {
  readonly #with: AuditLogDependencies;

  constructor(dependencies: AuditLogDependencies) {
    this.#with = dependencies;
  }

  /** The matching entries, newest first. A page may be short or empty although there is a next one. */
  async list(filter: AuditFilter, { limit, after }: PageRequest): Promise<Page<StoredAuditEntry>> {
    const { reader } = this.#with.database;
    let before = after ?? Number.MAX_SAFE_INTEGER;
    if (filter.to !== null) {
      const last = await readLastIdBefore(reader, filter.to);
      if (last === undefined) return { items: [], next: null };
      before = Math.min(before, last + ID_SLACK);
    }
    const { rows, last } = await readAuditEntries(reader, filter, {
      before,
      limit: limit + 1,
      examined: MAX_EXAMINED,
    });
    const items = firstWithin(rows.slice(0, limit), MAX_PAGE_CHARACTERS, ({ changes }) => changes.length);
    const next = items.length < rows.length ? (items.at(-1)?.id ?? null) : await this.#next(last, filter);
    return { items, next };
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<StoredAuditEntry> {
    const row = await readAuditEntry(this.#with.database.reader, id);
    if (row === undefined) throw notFound('audit entry', id);
    return row;
  }

  /** Removes at most `limit` entries that are too old, and returns how many it removed. */
  async forgetOld(limit: number): Promise<number> {
    const { database, days, now } = this.#with;
    return await database.transaction((tx) =>
      deleteAuditEntriesBefore(tx, retainedSince(now(), days), limit),
    );
  }

  /** Where to continue after the last examined entry; null if no earlier one can match. */
  async #next(last: number | null, { from }: AuditFilter): Promise<number | null> {
    if (last === null || from === null) return last;
    const earliest = await readLastIdBefore(this.#with.database.reader, from);
    return earliest !== undefined && last + ID_SLACK < earliest ? null : last;
  }
}
