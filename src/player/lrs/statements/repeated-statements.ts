import { MIB } from '../../../bytes.ts';
import type { Reader } from '../../../database/database.ts';
import { ProblemError } from '../../../problems/problem.ts';
import { inSlices } from '../../../time/time-slices.ts';
import type { LrsScope } from '../lrs-scope.ts';
import type { Statement } from '../xapi-types.ts';
import { isEquivalent } from './statement-form.ts';
import { type StatementHead, selectStatementHeads, selectStatementText } from './statement-store.ts';

/**
 * Maximum size of the stored statements that a request is compared with, as JSON. A client that sends a request again
 * needs half of it. Only one that sends short forms of large statements needs more.
 */
const MAX_COMPARED_BYTES = 16 * MIB;

/** Compares the statements of a request that are stored already with the stored ones. */
export class RepeatedStatements {
  readonly #scope: LrsScope;
  readonly #same = new Set<number>();
  #remaining = MAX_COMPARED_BYTES;

  constructor(scope: LrsScope) {
    this.#scope = scope;
  }

  /**
   * Compares statements before the transaction that stores them, because others wait for that one. It stops at the
   * first difference, which {@link assertSame} then reports.
   * @throws {ProblemError} `content-too-large`
   */
  async compareAhead(
    reader: Pick<Reader, 'all' | 'allFor'>,
    statements: readonly Statement[],
  ): Promise<void> {
    const stored = await selectStatementHeads(reader, idsOf(statements));
    for await (const statement of inSlices(statements)) {
      const head = stored.get(statement.id?.toLowerCase() ?? '');
      if (head !== undefined && !(await this.#isSame(reader, head, statement))) return;
    }
  }

  /** @throws {ProblemError} `conflict`, `content-too-large` */
  async assertSame(reader: Pick<Reader, 'all'>, stored: StatementHead, statement: Statement): Promise<void> {
    if (await this.#isSame(reader, stored, statement)) return;
    throw new ProblemError('conflict', `Another statement has the id ${stored.statement_id}`);
  }

  async #isSame(reader: Pick<Reader, 'all'>, stored: StatementHead, statement: Statement): Promise<boolean> {
    const { launch } = this.#scope;
    if (launch !== null && stored.registration_id !== launch.registrationId) return false;
    if (this.#same.has(stored.id)) return true;
    this.#remaining -= stored.size;
    if (this.#remaining < 0) {
      throw new ProblemError(
        'content-too-large',
        `The statements that are stored already have more than ${MAX_COMPARED_BYTES} bytes: send fewer at once`,
      );
    }
    const text = await selectStatementText(reader, stored.id);
    if (text === undefined || !isEquivalent(JSON.parse(text) as Statement, statement)) return false;
    this.#same.add(stored.id);
    return true;
  }
}

/** The ids of statements that have one, in lower case. */
export function idsOf(statements: readonly Statement[]): string[] {
  return statements.flatMap(({ id }) => (id === undefined ? [] : [id.toLowerCase()]));
}
