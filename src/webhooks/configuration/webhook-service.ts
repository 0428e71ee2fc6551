import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import type { FieldChange } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import type { Logger } from '../../observability/log.ts';
import { invalidInput, notFound, ProblemError } from '../../problems/problem.ts';
import { assertRevision, type ExpectedRevisions } from '../../problems/revision.ts';
import type { LineActions, LineReader } from '../../queue/message-queue.ts';
import { UndecryptableError } from '../../secrets/credentials-cipher.ts';
import {
  type CheckTargetUrl,
  type CurrentConfiguration,
  configurationErrors,
  toConfiguration,
} from './configuration.ts';
import { makesHeadDue } from './head-due.ts';
import { nameFocuses, replaceSelection } from './selection-store.ts';
import { deleteTriggers, replaceTriggers } from './trigger-store.ts';
import type { Authentication, Focus, Webhook, WebhookConfiguration, WebhookStatistics } from './webhook.ts';
import { webhookChanges } from './webhook-audit.ts';
import { type FocusReference, WebhookReader, type WebhookReaderDependencies } from './webhook-reader.ts';
import type { WebhookInput } from './webhook-schemas.ts';
import {
  clearInError,
  insertWebhook,
  lockAndCountWebhooks,
  markDeleted,
  readStatistics,
  readWebhook,
  resetStatistics,
  setCredentials,
  updateWebhook,
} from './webhook-store.ts';

/** Dependencies of {@link WebhookService}. */
export interface WebhookServiceDependencies extends WebhookReaderDependencies {
  database: Database;
  lines: LineReader & LineActions;
  checkTargetUrl: CheckTargetUrl;
  maxWebhooks: number;
  /** True while the webhooks service is disabled. */
  readOnly: boolean;
  log: Pick<Logger, 'info'>;
}

/** The operations on webhooks for administrators and the automation API. */
export class WebhookService {
  readonly #with: WebhookServiceDependencies;
  readonly #webhooks: WebhookReader;

  constructor(dependencies: WebhookServiceDependencies) {
    this.#with = dependencies;
    this.#webhooks = new WebhookReader(dependencies);
  }

  /** True while the webhooks service is disabled: webhooks can be created and read, but not changed. */
  get readOnly(): boolean {
    return this.#with.readOnly;
  }

  /**
   * The errors of a configuration beyond its schema. With the id of a webhook, it is checked as an update of that
   * webhook.
   * @throws {ProblemError} `not-found`
   */
  async inputErrors(input: unknown, webhookId: number | null) {
    const current = webhookId === null ? null : await this.get(webhookId);
    return configurationErrors(input, { checkTargetUrl: this.#with.checkTargetUrl, current });
  }

  /**
   * The configuration that saving the input would give: as a new webhook, or as an update of the webhook with that
   * id.
   * @throws {ProblemError} `not-found`, `invalid-request`
   */
  async preview(input: WebhookInput, webhookId: number | null): Promise<WebhookConfiguration> {
    const current = webhookId === null ? null : await this.get(webhookId);
    return this.#parse(input, current);
  }

  /** @throws {ProblemError} `invalid-request`, `limit-reached` */
  async create(input: WebhookInput, by: Actor, open?: Transaction): Promise<Webhook> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const configuration = this.#parse(input, null);
      if ((await lockAndCountWebhooks(tx)) >= this.#with.maxWebhooks) {
        throw new ProblemError(
          'limit-reached',
          `There are already ${this.#with.maxWebhooks} webhooks, the maximum (max_webhooks); delete one first`,
        );
      }
      const id = await insertWebhook(tx, configuration, this.#with.now());
      await this.#writeDetails(tx, id, configuration, []);
      this.#logLater(tx, 'a webhook was created', id);
      const webhook = await this.#webhooks.require(tx, id);
      const hasSecret = webhook.authentication.type === 'BASIC';
      await this.#record(tx, by, 'WEBHOOK_CREATED', webhook, webhookChanges(null, webhook, hasSecret));
      return webhook;
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Webhook> {
    return await this.#webhooks.require(this.#with.database.reader, id);
  }

  /** In ascending order of id. A page may have fewer than requested although more follow. */
  async list(page: PageRequest): Promise<Page<Webhook>> {
    return await this.#webhooks.page(this.#with.database.reader, page);
  }

  /**
   * Replaces the whole configuration, which ends the error state.
   * @throws {ProblemError} `not-found`, `invalid-request`, `webhooks-read-only`, `precondition-failed`
   */
  async update(
    id: number,
    input: WebhookInput,
    {
      by,
      resetStatistics: reset,
      expected,
    }: { by: Actor; resetStatistics: boolean; expected: ExpectedRevisions },
  ): Promise<Webhook> {
    this.assertWritable();
    return await this.#with.database.transaction(async (tx) => {
      const current = await this.#lock(tx, id);
      assertRevision(current.revision, expected);
      const configuration = this.#parse(input, current);
      const secretChanged = await this.#changesSecret(tx, current, configuration.authentication);
      await updateWebhook(tx, current, configuration, this.#with.now());
      await this.#writeDetails(tx, id, configuration, current.focus);
      await clearInError(tx, id);
      if (reset) await this.#reset(tx, current, by);
      this.#logLater(tx, 'a webhook was updated', id);
      const { head } = await this.#with.lines.line(id, tx);
      if (makesHeadDue(current, configuration, head)) await this.#makeHeadDue(tx, id);
      const updated = await this.#webhooks.require(tx, id);
      const changes = webhookChanges(current, updated, secretChanged);
      if (changes.length > 0) await this.#record(tx, by, 'WEBHOOK_UPDATED', updated, changes);
      return updated;
    });
  }

  /**
   * Deletes a webhook. Its waiting messages are discarded immediately, and its history says so.
   * @throws {ProblemError} `not-found`, `webhooks-read-only`, `precondition-failed`
   */
  async delete(id: number, { by, expected }: { by: Actor; expected: ExpectedRevisions }): Promise<void> {
    this.assertWritable();
    await this.#with.database.transaction(async (tx) => {
      const current = await this.#lock(tx, id);
      assertRevision(current.revision, expected);
      await deleteTriggers(tx, id);
      await markDeleted(tx, id, this.#with.now());
      this.#logLater(tx, 'a webhook was deleted', id);
      const hadSecret = current.authentication.type === 'BASIC';
      await this.#record(tx, by, 'WEBHOOK_DELETED', current, webhookChanges(current, null, hadSecret));
      await this.#makeHeadDue(tx, id);
    });
  }

  /** @throws {ProblemError} `not-found` */
  async statistics(id: number): Promise<WebhookStatistics> {
    return await this.#requireStatistics(this.#with.database.reader, id);
  }

  /** Clears the counts and starts a new period. The error state is kept. @throws {ProblemError} `not-found` */
  async resetStatistics(id: number, by: Actor, open?: Transaction): Promise<WebhookStatistics> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      await this.#reset(tx, await this.#webhooks.require(tx, id), by);
      return await this.#requireStatistics(tx, id);
    });
  }

  /** Keeps the last name of a deleted asset in the focuses on it. */
  async assetDeleted(tx: Transaction, asset: FocusReference & { name: string }): Promise<void> {
    await nameFocuses(tx, asset);
  }

  /** @throws {ProblemError} `webhooks-read-only` while the webhooks service is disabled. */
  assertWritable(): void {
    if (this.readOnly) {
      throw new ProblemError(
        'webhooks-read-only',
        'enable_webhooks_service is false: webhooks cannot be changed, deleted or delivered from',
      );
    }
  }

  /**
   * Locks a webhook until the transaction ends. Its line is locked first, as in deliveries, which write its statistics
   * next.
   */
  async #lock(tx: Transaction, id: number): Promise<Webhook> {
    await this.#webhooks.require(tx, id);
    await this.#with.lines.lockLines(tx, [id]);
    return await this.#webhooks.require(tx, id);
  }

  async #reset(tx: Transaction, webhook: Webhook, by: Actor): Promise<void> {
    await resetStatistics(tx, webhook.id, this.#with.now());
    this.#logLater(tx, 'the statistics of a webhook were reset', webhook.id);
    await this.#record(tx, by, 'WEBHOOK_STATISTICS_RESET', webhook, []);
  }

  async #record(
    tx: Transaction,
    by: Actor,
    action: AuditAction,
    { id, name }: Webhook,
    changes: readonly FieldChange[],
  ): Promise<void> {
    await recordAudit(tx, { by, action, id, name, changes }, this.#with.now());
  }

  /** Whether an update changes the stored secret. Call it before the update. */
  async #changesSecret(tx: Transaction, current: Webhook, next: Authentication): Promise<boolean> {
    if (next.type === 'NONE' || current.authentication.type === 'NONE') {
      return next.type !== current.authentication.type;
    }
    if (next.secret === null) return false;
    const row = await readWebhook(tx, current.id);
    if (row === undefined || row.credentials === null) return true;
    try {
      return this.#with.cipher.decryptCredentials(current.id, row.credentials).secret !== next.secret;
    } catch (error) {
      if (error instanceof UndecryptableError) return true;
      throw error;
    }
  }

  #logLater(tx: Transaction, text: string, id: number): void {
    tx.onCommit(() => this.#with.log.info(text, { webhook_id: id }));
  }

  /**
   * Makes the head due now instead of at its next retry or once resumed. Delivery then discards messages that are too old
   * or whose webhook is inactive or deleted, and dead-letters a head that has had all of its attempts. Otherwise it
   * tries the target as it is configured now. A head in flight is not affected: if its attempt fails, delivery compares
   * the webhook with what it was when the attempt began.
   */
  async #makeHeadDue(tx: Transaction, id: number): Promise<void> {
    await this.#with.lines.actOnHead(tx, id, 'retry');
  }

  #parse(input: WebhookInput, current: CurrentConfiguration | null): WebhookConfiguration {
    const errors = configurationErrors(input, { checkTargetUrl: this.#with.checkTargetUrl, current });
    if (errors.length > 0) throw invalidInput(errors);
    return toConfiguration(input, current);
  }

  async #writeDetails(
    tx: Transaction,
    id: number,
    configuration: WebhookConfiguration,
    formerFocus: readonly Focus[],
  ): Promise<void> {
    const focus = await this.#webhooks.withNames(tx, configuration.focus, formerFocus);
    await replaceSelection(tx, id, { ...configuration, focus });
    await replaceTriggers(tx, id, configuration);
    const { authentication } = configuration;
    if (authentication.type === 'NONE') {
      await setCredentials(tx, id, null);
    } else if (authentication.secret !== null) {
      const { key, secret } = authentication;
      await setCredentials(tx, id, this.#with.cipher.encryptCredentials(id, { key, secret }));
    }
  }

  async #requireStatistics(reader: Pick<Reader, 'query'>, id: number): Promise<WebhookStatistics> {
    const row = await readStatistics(reader, id);
    if (row === undefined) throw notFound('webhook', id);
    return {
      validFrom: row.valid_from,
      successCount: row.success_count,
      lastSuccessAt: row.last_success_at,
      errorCount: row.error_count,
      lastErrorAt: row.last_error_at,
      lastErrorMessage: row.last_error_message,
    };
  }
}
