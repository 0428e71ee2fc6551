import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import { secretChange } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { notFound, ProblemError } from '../../problems/problem.ts';
import { assertRevision, type ExpectedRevisions } from '../../problems/revision.ts';
import type { LineActions } from '../../queue/message-queue.ts';
import { type CredentialsCipher, signingContext } from '../../secrets/credentials-cipher.ts';
import { readWebhook } from '../configuration/webhook-store.ts';
import { makeSigningSecret } from './signing-secret.ts';
import { readSigning, type SigningRow, writeSigning } from './signing-store.ts';

/** Dependencies of {@link SigningService}. */
export interface SigningServiceDependencies {
  database: Database;
  cipher: CredentialsCipher;
  lines: LineActions;
  /** @throws {ProblemError} `webhooks-read-only` */
  assertWritable: () => void;
  log: Pick<Logger, 'info'>;
  now: () => number;
}

/** A signing secret that was just made. It is returned once and stored encrypted. Times are in epoch milliseconds. */
export interface NewSigningSecret {
  secret: string;
  since: number;
  /** Until when the former secret also signs; null if there was none, or if it stopped at once. */
  formerUntil: number | null;
}

const NOT_SIGNED: SigningRow = {
  signing_secret: null,
  signing_since: null,
  former_signing_secret: null,
  former_signing_secret_until: null,
};

/** The secrets that sign the postbacks of webhooks (Standard Webhooks). */
export class SigningService {
  readonly #with: SigningServiceDependencies;

  constructor(dependencies: SigningServiceDependencies) {
    this.#with = dependencies;
  }

  /**
   * Creates a signing secret. The current one becomes the former one, which continues to sign in addition.
   * @param formerForMs how long the former secret continues to sign, in milliseconds; with 0, it stops immediately
   * @throws {ProblemError} `not-found`, `webhooks-read-only`
   */
  async rotate(
    webhookId: number,
    formerForMs: number,
    by: Actor,
    open?: Transaction,
  ): Promise<NewSigningSecret> {
    this.#with.assertWritable();
    return await inTransaction(this.#with.database, open, async (tx) => {
      const current = await this.#lock(tx, webhookId);
      const now = this.#with.now();
      const former = formerForMs > 0 ? current.signing_secret : null;
      const secret = makeSigningSecret();
      const row: SigningRow = {
        signing_secret: this.#with.cipher.encrypt(signingContext(webhookId), secret),
        signing_since: current.signing_since ?? now,
        former_signing_secret: former,
        former_signing_secret_until: former === null ? null : now + formerForMs,
      };
      await this.#write(tx, webhookId, row, 'the signing secret of a webhook was replaced');
      await this.#record(tx, webhookId, by, 'SIGNING_SECRET_REPLACED');
      return { secret, since: row.signing_since ?? now, formerUntil: row.former_signing_secret_until };
    });
  }

  /**
   * Ends signing and deletes the secrets.
   * @throws {ProblemError} `not-found` (also if the webhook does not sign), `precondition-failed`, `webhooks-read-only`
   */
  async end(
    webhookId: number,
    { by, expected = null }: { by: Actor; expected?: ExpectedRevisions },
  ): Promise<void> {
    this.#with.assertWritable();
    await this.#with.database.transaction(async (tx) => {
      const current = await this.#lock(tx, webhookId);
      assertRevision(current.revision, expected);
      if (current.signing_secret === null)
        throw new ProblemError('not-found', 'The webhook has no signing secret');
      await this.#write(tx, webhookId, NOT_SIGNED, 'the postbacks of a webhook are no longer signed');
      await this.#record(tx, webhookId, by, 'SIGNING_SECRET_DELETED');
    });
  }

  async #record(tx: Transaction, webhookId: number, by: Actor, action: AuditAction): Promise<void> {
    const name = (await readWebhook(tx, webhookId))?.name ?? null;
    const changes = [secretChange('signing_secret')];
    await recordAudit(tx, { by, action, id: webhookId, name, changes }, this.#with.now());
  }

  /** Locks the webhook's line first, as deliveries and changes of the webhook do, and returns its signing secrets. */
  async #lock(tx: Transaction, webhookId: number): Promise<SigningRow & { revision: number }> {
    const exists = await readSigning(tx, webhookId);
    if (exists === undefined) throw notFound('webhook', webhookId);
    await this.#with.lines.lockLines(tx, [webhookId]);
    const current = await readSigning(tx, webhookId);
    if (current === undefined) throw notFound('webhook', webhookId);
    return current;
  }

  /** Writes the secrets and makes the head due: a target that rejected its signature may accept the new one. */
  async #write(tx: Transaction, webhookId: number, row: SigningRow, text: string): Promise<void> {
    await writeSigning(tx, webhookId, row);
    await this.#with.lines.actOnHead(tx, webhookId, 'retry');
    tx.onCommit(() => this.#with.log.info(text, { webhook_id: webhookId }));
  }
}
