import { MIB } from '../../../bytes.ts';
import type { Reader } from '../../../database/database.ts';
import type { Page, PageRequest } from '../../../database/page.ts';
import { firstWithin } from '../../../database/step-bytes.ts';
import { notFound } from '../../../problems/problem.ts';
import { inSlices } from '../../../time/time-slices.ts';
import type { LrsScope } from '../lrs-scope.ts';
import type { AttachmentContent, StoredStatement } from '../xapi-types.ts';
import { selectDefinitions } from './activity-store.ts';
import { sentenceOf } from './sentence.ts';
import { type IndexTerm, termOf } from './statement-index.ts';
import {
  type StatementPlace,
  type StatementRange,
  selectPlaceAt,
  selectStatements,
} from './statement-search-store.ts';
import {
  type StatementRow,
  selectAttachmentSizes,
  selectAttachments,
  selectStatement,
  selectStatementSizes,
  selectStatementsOfRegistration,
} from './statement-store.ts';
import type { StatementTimes } from './statement-times.ts';

/** Maximum size of a page, including attachments. A larger statement gets a page of its own. */
export const MAX_PAGE_BYTES = 8 * MIB;
/** Maximum number of statements that a search examines, so that one with few matches cannot block the service. */
export const MAX_EXAMINED = 5_000;
/** The kinds of terms, usually the most selective first. */
const SELECTIVITY = ['launch', 'registration', 'agent', 'any-agent', 'activity', 'any-activity', 'verb'];

/** A query for a list of statements. */
export interface StatementQuery extends StatementRange {
  terms: readonly IndexTerm[];
  limit: number;
  withAttachments: boolean;
}

/** Statements, and the position of the next page; null on the last page. */
export interface StatementPage {
  statements: StoredStatement[];
  /** The registrations whose launches stored the statements, in the same order; null: API clients. */
  registrationIds: (string | null)[];
  attachments: AttachmentContent[];
  next: StatementPlace | null;
}

/** Reads statements. Every method enforces its scope. */
export class StatementReader {
  readonly #reader: Reader;
  readonly #times: StatementTimes;

  constructor({ reader, times }: { reader: Reader; times: StatementTimes }) {
    this.#reader = reader;
    this.#times = times;
  }

  /**
   * Reads one statement.
   * @throws {ProblemError} `not-found` (also if it is voided and `isVoided` is false, or the reverse)
   */
  async read(
    scope: LrsScope,
    statementId: string,
    { isVoided, withAttachments }: { isVoided: boolean; withAttachments: boolean },
  ): Promise<StatementPage> {
    if (scope.launch?.registrationId === null) throw notFound('statement', statementId);
    const row = await selectStatement(this.#reader, statementId.toLowerCase());
    const isReached =
      row !== undefined && (scope.launch === null || row.registration_id === scope.launch.registrationId);
    if (!isReached || row.is_voided !== (isVoided ? 1 : 0)) throw notFound('statement', statementId);
    return {
      statements: [JSON.parse(row.statement) as StoredStatement],
      registrationIds: [row.registration_id],
      attachments: withAttachments ? await this.#attachments([row]) : [],
      next: null,
    };
  }

  /**
   * Reads a page of statements that are not voided. If many statements match one of the filters but not all, a page may
   * be short or empty although it is not the last.
   */
  async list(scope: LrsScope, query: StatementQuery): Promise<StatementPage> {
    if (scope.launch?.registrationId === null) {
      return { statements: [], registrationIds: [], attachments: [], next: null };
    }
    const ownTerm: IndexTerm[] =
      scope.launch === null ? [] : [{ kind: 'launch', term: termOf(scope.launch.registrationId) }];
    const terms = [...ownTerm, ...query.terms].sort(
      (a, b) => SELECTIVITY.indexOf(a.kind) - SELECTIVITY.indexOf(b.kind),
    );
    const { rarest, through } = await this.#examined(terms, query);
    const rows = await selectStatements(this.#reader, {
      ...query,
      terms: rarest === null ? [] : [rarest, ...terms.filter((term) => term !== rarest)],
      through,
    });
    const sizes = query.withAttachments
      ? await selectAttachmentSizes(
          this.#reader,
          rows.slice(0, query.limit).map(({ id }) => id),
        )
      : new Map<number, number>();
    const sizeOf = ({ id, statement }: StatementRow) => statement.length + (sizes.get(id) ?? 0);
    const taken = firstWithin(rows.slice(0, query.limit), MAX_PAGE_BYTES, sizeOf);
    const last = taken.at(-1);
    return {
      statements: await parsed(taken),
      registrationIds: taken.map((row) => row.registration_id),
      attachments: query.withAttachments ? await this.#attachments(taken) : [],
      next:
        rows.length > taken.length && last !== undefined
          ? { storedAt: last.stored_at, id: last.id }
          : through,
    };
  }

  /**
   * Chooses the rarest term: its first {@link MAX_EXAMINED} statements cover the longest part of the range. `through` is
   * the last of them; null if fewer remain, so that the page reaches the end.
   */
  async #examined(
    terms: readonly IndexTerm[],
    range: StatementRange,
  ): Promise<{ rarest: IndexTerm | null; through: StatementPlace | null }> {
    const ends: { rarest: IndexTerm | null; through: StatementPlace }[] = [];
    for (const rarest of terms.length === 0 ? [null] : terms) {
      const through = await selectPlaceAt(this.#reader, rarest, range, MAX_EXAMINED);
      if (through === null) return { rarest, through };
      ends.push({ rarest, through });
    }
    return ends.reduce((one, other) => {
      const isLater = comparePlaces(other.through, one.through) > 0;
      return isLater === range.ascending ? other : one;
    });
  }

  /**
   * Reads a page of the statements that a registration's launches stored, in that order, including voided ones. Large
   * statements can make a page shorter than its limit.
   */
  async ofRegistration(
    registrationId: string,
    { after, limit }: PageRequest,
  ): Promise<Page<{ id: number; statement: StoredStatement; sentence: string; isVoided: boolean }>> {
    const sizes = await selectStatementSizes(this.#reader, registrationId, { after, limit: limit + 1 });
    const count = firstWithin(sizes.slice(0, limit), MAX_PAGE_BYTES, (size) => size).length;
    const rows = await selectStatementsOfRegistration(this.#reader, registrationId, { after, limit: count });
    const statements = await parsed(rows);
    const ids = new Set(statements.map(({ object }) => String(object.id)));
    const known = (await selectDefinitions(this.#reader, new Map([[registrationId, ids]]))).get(
      registrationId,
    );
    const items = await Array.fromAsync(inSlices(rows.entries()), ([index, { id, is_voided }]) => {
      const statement = statements[index]!;
      return { id, statement, sentence: sentenceOf(statement, known), isVoided: is_voided === 1 };
    });
    return { items, next: sizes.length > count ? (items.at(-1)?.id ?? null) : null };
  }

  /** The time up to which every stored statement is visible to readers. */
  async consistentThrough(): Promise<number> {
    return await this.#times.consistentThrough();
  }

  async #attachments(rows: readonly StatementRow[]): Promise<AttachmentContent[]> {
    const found = await selectAttachments(
      this.#reader,
      rows.map(({ id }) => id),
    );
    const bySha = new Map<string, AttachmentContent>();
    for (const { sha2, content_type: contentType, content } of found) {
      bySha.set(sha2, { sha2, contentType, content: Buffer.from(content, 'base64') });
    }
    return [...bySha.values()];
  }
}

function comparePlaces(one: StatementPlace, other: StatementPlace): number {
  return one.storedAt - other.storedAt || one.id - other.id;
}

/** Parses the statements of a page, which takes longer than other requests may wait. */
async function parsed(rows: readonly StatementRow[]): Promise<StoredStatement[]> {
  return await Array.fromAsync(inSlices(rows), ({ statement }) => JSON.parse(statement) as StoredStatement);
}
