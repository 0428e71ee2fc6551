import type { AuditAction } from '../audit/actions.ts';
import type { Actor } from '../audit/actor.ts';
import type { FieldChange } from '../audit/field-changes.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type Database, inTransaction, type Transaction } from '../database/database.ts';
import { type Page, type PageRequest, toPage } from '../database/page.ts';
import type { Logger } from '../observability/log.ts';
import { type InputError, invalidInput, notFound, ProblemError } from '../problems/problem.ts';
import { assertRevision, type ExpectedRevisions } from '../problems/revision.ts';
import {
  alertUrlContext,
  type CredentialsCipher,
  UndecryptableError,
} from '../secrets/credentials-cipher.ts';
import { endFiringsOfRule, markEndsReported } from './firings/firing-store.ts';
import { noteFirstRule } from './firings/last-evaluation.ts';
import { stopNotices } from './firings/stop-notices.ts';
import { alertChanges } from './rules/alert-audit.ts';
import { alertErrors, webhookIdsOf } from './rules/alert-input.ts';
import {
  type AlertRule,
  CHANNELS,
  DEFAULT_MINUTES,
  MAX_RULES,
  missingChannelsOf,
} from './rules/alert-rule.ts';
import type { AlertInput } from './rules/alert-schemas.ts';
import {
  type ConfiguredColumns,
  deleteRule,
  insertRule,
  lockAndCountRules,
  lockRule,
  readRule,
  readRules,
  setRuleUrl,
  updateRule,
} from './rules/alert-store.ts';

/** Dependencies of {@link AlertService}. */
export interface AlertServiceDependencies {
  database: Database;
  cipher: Pick<CredentialsCipher, 'encrypt' | 'decrypt'>;
  /** Says why a URL is not allowed, or null if it is. */
  checkTargetUrl: (url: string) => string | null;
  /** Whether the setting `smtp_host` is set. */
  sendsEmail: boolean;
  /** The names of those of these webhooks that exist. */
  namesOf: (webhookIds: readonly number[]) => Promise<Map<number, string>>;
  /** Called after each change of a rule. */
  onChanged: () => void;
  log: Pick<Logger, 'info'>;
  now: () => number;
}

/** The operations on alert rules. */
export class AlertService {
  readonly #with: AlertServiceDependencies;

  constructor(dependencies: AlertServiceDependencies) {
    this.#with = dependencies;
  }

  /** The errors of a configuration beyond its schema. @throws {ProblemError} `not-found` */
  async inputErrors(input: unknown, id: number | null): Promise<InputError[]> {
    const current = id === null ? null : await this.get(id);
    return await this.#errors(input, current);
  }

  /** @throws {ProblemError} `invalid-request`, `limit-reached` */
  async create(input: AlertInput, by: Actor, open?: Transaction): Promise<AlertRule> {
    assertNone(await this.#errors(input, null));
    return await inTransaction(this.#with.database, open, async (tx) => {
      if ((await lockAndCountRules(tx)) >= MAX_RULES)
        throw new ProblemError(
          'limit-reached',
          `There are already ${MAX_RULES} alert rules, the maximum; delete one first`,
        );
      const now = this.#with.now();
      const id = await insertRule(tx, columnsOf(input, null, now), now);
      await noteFirstRule(tx, now);
      await this.#writeUrl(tx, id, input);
      this.#changed(tx, 'an alert rule was created', id);
      const rule = await this.#require(tx, id);
      await this.#record(tx, by, 'ALERT_CREATED', rule, alertChanges(null, rule, rule.target !== null));
      return rule;
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<AlertRule> {
    return await this.#require(this.#with.database.reader, id);
  }

  /** In ascending order of id. */
  async list(page: PageRequest): Promise<Page<AlertRule>> {
    return toPage(await readRules(this.#with.database.reader, page), page.limit);
  }

  /**
   * Replaces the whole configuration. If it no longer watches the same, the alerts that are firing end without a notice
   * and begin again if the problem still lasts. Notices that wait are not sent any more. Otherwise, this is true of those
   * that wait for a channel which the rule no longer has.
   * @throws {ProblemError} `not-found`, `invalid-request`, `precondition-failed`
   */
  async update(
    id: number,
    input: AlertInput,
    { by, expected }: { by: Actor; expected: ExpectedRevisions },
  ): Promise<AlertRule> {
    const names = await this.#with.namesOf(webhookIdsOf(input));
    return await this.#with.database.transaction(async (tx) => {
      const current = await lockRule(tx, id);
      if (current === undefined) throw notFound('alert rule', id);
      assertRevision(current.revision, expected);
      assertNone(this.#errorsWith(input, current, names));
      const now = this.#with.now();
      const columns = columnsOf(input, current, now);
      const urlChanged = this.#changesUrl(current, input);
      await updateRule(tx, id, columns, now);
      await this.#writeUrl(tx, id, input);
      const rule = await this.#require(tx, id);
      if (watchesTheSame(current, rule)) await stopNotices(tx, id, missingChannelsOf(rule));
      else {
        await endFiringsOfRule(tx, id, 'RULE_CHANGED', now);
        await markEndsReported(tx, id);
        await stopNotices(tx, id, CHANNELS);
      }
      this.#changed(tx, 'an alert rule was updated', id);
      const changes = alertChanges(current, rule, urlChanged);
      if (changes.length > 0) await this.#record(tx, by, 'ALERT_UPDATED', rule, changes);
      return rule;
    });
  }

  /**
   * Deletes a rule. Its firings stay in the list.
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async delete(id: number, { by, expected }: { by: Actor; expected: ExpectedRevisions }): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      const current = await lockRule(tx, id);
      if (current === undefined) throw notFound('alert rule', id);
      assertRevision(current.revision, expected);
      await endFiringsOfRule(tx, id, 'RULE_DELETED', this.#with.now());
      await stopNotices(tx, id, CHANNELS);
      await deleteRule(tx, id);
      this.#changed(tx, 'an alert rule was deleted', id);
      await this.#record(
        tx,
        by,
        'ALERT_DELETED',
        current,
        alertChanges(current, null, current.target !== null),
      );
    });
  }

  async #errors(input: unknown, current: AlertRule | null): Promise<InputError[]> {
    return this.#errorsWith(input, current, await this.#with.namesOf(webhookIdsOf(input)));
  }

  #errorsWith(input: unknown, current: AlertRule | null, names: ReadonlyMap<number, string>): InputError[] {
    const { sendsEmail, checkTargetUrl } = this.#with;
    return alertErrors(input, { current, sendsEmail, checkTargetUrl, knownWebhooks: new Set(names.keys()) });
  }

  /** Without a new URL, the stored one is kept. */
  async #writeUrl(tx: Transaction, id: number, { target }: AlertInput): Promise<void> {
    if (target === undefined || target === null) await setRuleUrl(tx, id, null);
    else if (target.url !== undefined)
      await setRuleUrl(tx, id, this.#with.cipher.encrypt(alertUrlContext(id), target.url));
  }

  /** Whether the URL that will be stored is another one than now. */
  #changesUrl({ id, target: current }: AlertRule, { target: next }: AlertInput): boolean {
    const hasNext = next !== undefined && next !== null;
    if (!hasNext || current === null) return hasNext !== (current !== null);
    if (next.url === undefined) return false;
    try {
      return this.#with.cipher.decrypt(alertUrlContext(id), current.storedUrl) !== next.url;
    } catch (error) {
      if (error instanceof UndecryptableError) return true;
      throw error;
    }
  }

  async #record(
    tx: Transaction,
    by: Actor,
    action: AuditAction,
    { id, name }: AlertRule,
    changes: readonly FieldChange[],
  ): Promise<void> {
    await recordAudit(tx, { by, action, id, name, changes }, this.#with.now());
  }

  async #require(reader: Parameters<typeof readRule>[0], id: number): Promise<AlertRule> {
    const rule = await readRule(reader, id);
    if (rule === undefined) throw notFound('alert rule', id);
    return rule;
  }

  #changed(tx: Transaction, text: string, id: number): void {
    tx.onCommit(() => {
      this.#with.log.info(text, { alert_id: id });
      this.#with.onChanged();
    });
  }
}

function assertNone(errors: readonly InputError[]): void {
  if (errors.length > 0) throw invalidInput(errors);
}

function columnsOf(input: AlertInput, current: AlertRule | null, now: number): ConfiguredColumns {
  const { target = null, quiet_hours: quiet = null, enabled = true } = input;
  const isActive = current?.enabled === true && current.condition === input.condition;
  return {
    name: input.name,
    enabled: enabled ? 1 : 0,
    condition: input.condition,
    minutes:
      DEFAULT_MINUTES[input.condition] === null ? null : (input.minutes ?? DEFAULT_MINUTES[input.condition]),
    webhook_ids: (input.webhook_ids ?? null) === null ? null : JSON.stringify(input.webhook_ids),
    email_to: JSON.stringify(input.email_to ?? []),
    target_format: target?.format ?? null,
    target_origin:
      target === null
        ? null
        : target.url === undefined
          ? (current?.target?.origin ?? null)
          : new URL(target.url).origin,
    quiet_from: quiet?.from ?? null,
    quiet_to: quiet?.to ?? null,
    quiet_time_zone: quiet?.time_zone ?? null,
    active_since: isActive && enabled ? current.activeSince : now,
  };
}

/** Whether an update leaves alerts that are firing as they are. */
function watchesTheSame(before: AlertRule, after: AlertRule): boolean {
  return (
    after.enabled &&
    before.condition === after.condition &&
    before.minutes === after.minutes &&
    areSameWebhooks(before.webhookIds, after.webhookIds)
  );
}

/** Whether two lists contain the same webhooks, in any order. Null contains all webhooks. */
function areSameWebhooks(some: readonly number[] | null, others: readonly number[] | null): boolean {
  if (some === null || others === null) return some === others;
  return new Set(some).symmetricDifference(new Set(others)).size === 0;
}
