import { isDeepStrictEqual } from 'node:util';
import { BatchStatement } from '../database/batch-statement.ts';
import type { Reader } from '../database/database.ts';
import { toIdRows } from '../database/recordset.ts';
import { keepNewest } from '../keep-newest.ts';
import type { ReceivedMessage } from '../queue/message-queue.ts';
import {
  type BasicCredentials,
  type CredentialsCipher,
  signingContext,
  UndecryptableError,
} from '../secrets/credentials-cipher.ts';
import { isTooOld } from './configuration/head-due.ts';
import type { LoggingMode } from './configuration/logging-mode.ts';
import { type WebhookState, webhookState } from './configuration/webhook-state.ts';
import { readFailures, readResent } from './history/delivery-store.ts';
import { keyOf, type SigningKeys } from './signing/signing-secret.ts';

/** Maximum number of webhooks whose targets are cached. Beyond it, the oldest entry is dropped. */
const MAX_KEPT = 20_000;

const LOST_CREDENTIALS_REASON = 'the stored credentials cannot be decrypted; set the key and secret again';
const LOST_SIGNING_REASON = 'the stored signing secret cannot be decrypted; create a new one';

/** A webhook as delivery needs it, at the time a message is about to be sent. */
export interface DeliveryTarget {
  webhookId: number;
  state: WebhookState;
  targetUrl: string;
  credentials: BasicCredentials | null;
  /** Null if postbacks are not signed. */
  signingKeys: SigningKeys | null;
  /** Why nothing can be sent: a stored secret cannot be decrypted, and a request without it would be wrong. */
  lost: string | null;
  /**
   * Why nothing can be signed: the signing secret cannot be decrypted. For requests whose credentials come from
   * elsewhere.
   */
  signingLost: string | null;
  maxAttempts: number;
  ignoreBefore: number | null;
  loggingMode: LoggingMode;
}

/** A failed attempt, with the target that it used. */
export interface FailedAttempt {
  target: DeliveryTarget;
  message: Pick<ReceivedMessage, 'occurredAt' | 'receiveCount'>;
}

type TargetsReader = Pick<Reader, 'dialect' | 'all' | 'allFor'>;

/**
 * What differs after each change of a webhook. The revision alone does not: a failover may lose a change, and the next
 * one then gets the same revision. A new signing secret keeps `updated_at`.
 */
interface WebhookVersion {
  revision: number;
  updated_at: number;
  signing_secret: string | null;
}

interface TargetRow extends WebhookVersion {
  id: number;
  target_url: string;
  credentials: string | null;
  former_signing_secret: string | null;
  former_signing_secret_until: number | null;
  enabled: number;
  paused_at: number | null;
  max_attempts: number;
  ignore_before: number | null;
  logging_mode: string;
  deleted_at: number | null;
}

/** Dependencies of {@link DeliveryTargets}. */
export interface DeliveryTargetsDependencies {
  reader: TargetsReader;
  cipher: CredentialsCipher;
}

/**
 * Reads webhooks at the time their messages are about to be sent. Versions are read every time, the rest only if a
 * version has changed.
 */
export class DeliveryTargets {
  readonly #with: DeliveryTargetsDependencies;
  readonly #kept = new Map<number, { version: WebhookVersion; target: DeliveryTarget }>();

  constructor(dependencies: DeliveryTargetsDependencies) {
    this.#with = dependencies;
  }

  /** Targets by webhook id, optionally as seen by a transaction. Webhooks without any stored data are missing. */
  async read(
    webhookIds: readonly number[],
    reader: Pick<Reader, 'allFor'> = this.#with.reader,
  ): Promise<Map<number, DeliveryTarget>> {
    const targets = new Map<number, DeliveryTarget>();
    if (webhookIds.length === 0) return targets;
    const changed: number[] = [];
    for (const version of await readVersions(reader, webhookIds)) {
      const kept = this.#kept.get(version.id);
      if (kept !== undefined && isSameVersion(kept.version, version)) targets.set(version.id, kept.target);
      else changed.push(version.id);
    }
    if (changed.length > 0) {
      for (const row of await readTargets(reader, changed)) {
        const target = this.#toTarget(row);
        // A transaction may read its own changes, which may never be committed. Another change may then get the same
        // revision. A lost secret may be encrypted again, so that it can be read, without a new version.
        if (reader === this.#with.reader && target.lost === null) this.#keep(row, target);
        targets.set(row.id, target);
      }
    }
    return targets;
  }

  /** Which of these webhooks are not paused, as seen by a transaction. */
  async resumed(reader: Pick<Reader, 'allFor'>, webhookIds: readonly number[]): Promise<number[]> {
    const targets = await this.read(webhookIds, reader);
    return webhookIds.filter((id) => (targets.get(id)?.state ?? 'PAUSED') !== 'PAUSED');
  }

  /**
   * The webhooks of failed attempts whose next attempt may end differently, or is not made any more, as seen by a
   * transaction. Since the attempt, the target got another URL or secret, the webhook became inactive, `ignoreBefore`
   * passed the message, or `maxAttempts` was lowered. Usually, the versions show that nothing has changed.
   */
  async changed(reader: Pick<Reader, 'allFor'>, failed: readonly FailedAttempt[]): Promise<number[]> {
    if (failed.length === 0) return [];
    const ids = failed.map(({ target }) => target.webhookId);
    const versions = new Map((await readVersions(reader, ids)).map((version) => [version.id, version]));
    const suspects = failed.filter(({ target }) => {
      const kept = this.#kept.get(target.webhookId);
      const version = versions.get(target.webhookId);
      return kept?.target !== target || version === undefined || !isSameVersion(kept.version, version);
    });
    const rows = await readTargets(
      reader,
      suspects.map(({ target }) => target.webhookId),
    );
    const current = new Map(rows.map((row) => [row.id, this.#toTarget(row)]));
    return suspects
      .filter((attempt) => endsDifferently(attempt, current.get(attempt.target.webhookId)))
      .map(({ target }) => target.webhookId);
  }

  /** Which messages had a request that was sent twice but counted once. That may happen once per message. */
  async resent(messageIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(messageIds.length === 0 ? [] : await readResent(this.#with.reader, messageIds));
  }

  /**
   * How many attempts of messages have failed since they were last redelivered or replayed, by message id. If an earlier
   * release redelivered a message, its earlier attempts count, too.
   */
  async failures(messages: readonly ReceivedMessage[]): Promise<ReadonlyMap<string, number>> {
    const ids = messages.map(({ messageId }) => messageId);
    const rows = ids.length === 0 ? [] : await readFailures(this.#with.reader, ids);
    return new Map(rows.map(({ message_id, failures }) => [message_id, failures]));
  }

  #keep({ id, revision, updated_at, signing_secret }: TargetRow, target: DeliveryTarget): void {
    this.#kept.delete(id);
    this.#kept.set(id, { version: { revision, updated_at, signing_secret }, target });
    keepNewest(this.#kept, MAX_KEPT);
  }

  #toTarget(row: TargetRow): DeliveryTarget {
    const { cipher } = this.#with;
    const credentials = readSecret(row.credentials, (stored) => cipher.decryptCredentials(row.id, stored));
    const signingKeys = readSigningKeys(row, cipher);
    const signingLost = signingKeys === LOST ? LOST_SIGNING_REASON : null;
    return {
      webhookId: row.id,
      state: webhookState(row),
      targetUrl: row.target_url,
      credentials: credentials === LOST ? null : credentials,
      signingKeys: signingKeys === LOST ? null : signingKeys,
      lost: credentials === LOST ? LOST_CREDENTIALS_REASON : signingLost,
      signingLost,
      maxAttempts: row.max_attempts,
      ignoreBefore: row.ignore_before,
      loggingMode: row.logging_mode as LoggingMode,
    };
  }
}

/** A stored secret that cannot be decrypted. */
const LOST = Symbol('lost');

function readSecret<T>(stored: string | null, decrypt: (stored: string) => T): T | null | typeof LOST {
  if (stored === null) return null;
  try {
    return decrypt(stored);
  } catch (error) {
    if (!(error instanceof UndecryptableError)) throw error;
    return LOST;
  }
}

function readSigningKeys(row: TargetRow, cipher: CredentialsCipher): SigningKeys | null | typeof LOST {
  const decrypt = (stored: string) => keyOf(cipher.decrypt(signingContext(row.id), stored));
  const current = readSecret(row.signing_secret, decrypt);
  if (current === null || current === LOST) return current;
  const former = readSecret(row.former_signing_secret, decrypt);
  const until = row.former_signing_secret_until;
  // Receivers that have the new secret need no other one, so a former secret that cannot be decrypted does not block
  // messages.
  const isUsable = former !== null && former !== LOST && until !== null;
  return { current, former: isUsable ? { key: former, until } : null };
}

function endsDifferently(
  { target: used, message }: FailedAttempt,
  current: DeliveryTarget | undefined,
): boolean {
  if (current === undefined || current.state === 'INACTIVE' || current.state === 'DELETED') return true;
  // Delivery would only put the head of a paused webhook on hold again. Resuming makes it due.
  if (current.state === 'PAUSED') return false;
  return (
    isTooOld(message.occurredAt, current) ||
    message.receiveCount >= current.maxAttempts ||
    used.targetUrl !== current.targetUrl ||
    used.lost !== current.lost ||
    !isDeepStrictEqual(used.credentials, current.credentials) ||
    !isSameKey(used.signingKeys, current.signingKeys)
  );
}

function isSameKey(one: SigningKeys | null, other: SigningKeys | null): boolean {
  return one === null || other === null ? one === other : one.current.equals(other.current);
}

const VERSIONS = new BatchStatement(
  'wanted',
  { id: 'bigint' },
  (wanted, { joined }) =>
    `select webhooks.id, webhooks.revision, webhooks.updated_at, webhooks.signing_secret
     from ${joined} webhooks where webhooks.id = ${wanted.id}`,
);

async function readVersions(
  reader: Pick<Reader, 'allFor'>,
  ids: readonly number[],
): Promise<(WebhookVersion & { id: number })[]> {
  return await VERSIONS.all(reader, toIdRows(ids));
}

function isSameVersion(one: WebhookVersion, other: WebhookVersion): boolean {
  return (
    one.revision === other.revision &&
    one.updated_at === other.updated_at &&
    one.signing_secret === other.signing_secret
  );
}

const TARGETS = new BatchStatement(
  'wanted',
  { id: 'bigint' },
  (wanted, { joined }) =>
    `select webhooks.id, webhooks.revision, webhooks.updated_at, webhooks.target_url, webhooks.credentials,
       webhooks.signing_secret, webhooks.former_signing_secret, webhooks.former_signing_secret_until,
       webhooks.enabled, webhooks.paused_at, webhooks.max_attempts, webhooks.ignore_before, webhooks.logging_mode, webhooks.deleted_at
     from ${joined} webhooks where webhooks.id = ${wanted.id}`,
);

async function readTargets(reader: Pick<Reader, 'allFor'>, ids: readonly number[]): Promise<TargetRow[]> {
  return await TARGETS.all(reader, toIdRows(ids));
}
