import type { Reader } from '../database/database.ts';
import { type Page, type PageRequest, toPage } from '../database/page.ts';
import { toAlertRecord } from './alert-records.ts';
import type { Firing } from './firing.ts';
import { countOpenFirings, type FiringFilter, listFirings } from './firings/firing-store.ts';
import type { Notice } from './notices/notice.ts';
import { readLatestNotices, readNotices } from './notices/notice-store.ts';
import { type AlertRule, channelsOf } from './rules/alert-rule.ts';
import type { AlertRecord } from './rules/alert-schemas.ts';

/** Reads alert rules with their state, and what has fired. */
export class AlertReader {
  readonly #reader: Reader;
  readonly #now: () => number;

  constructor({ reader, now }: { reader: Reader; now: () => number }) {
    this.#reader = reader;
    this.#now = now;
  }

  /** Rules as the API returns them, in the given order. */
  async records(rules: readonly AlertRule[]): Promise<AlertRecord[]> {
    const firing = await countOpenFirings(this.#reader);
    const notices = await readLatestNotices(
      this.#reader,
      rules.map(({ id }) => id),
    );
    return rules.map((rule) =>
      toAlertRecord(rule, {
        firing: firing.get(rule.id) ?? 0,
        notices: notices.filter(
          ({ ruleId, channel }) => ruleId === rule.id && channelsOf(rule).includes(channel),
        ),
        now: this.#now(),
      }),
    );
  }

  async record(rule: AlertRule): Promise<AlertRecord> {
    const [record] = await this.records([rule]);
    return record!;
  }

  /** A rule that was just created: nothing can have fired yet. */
  recordOfNew(rule: AlertRule): AlertRecord {
    return toAlertRecord(rule, { firing: 0, notices: [], now: this.#now() });
  }

  /** Alerts, newest first, and the notices about them. */
  async firings(
    page: PageRequest,
    filter: FiringFilter,
  ): Promise<Page<Firing> & { notices: readonly Notice[] }> {
    const { items, next } = toPage(await listFirings(this.#reader, page, filter), page.limit);
    const batches = items.flatMap(({ beginBatch, endBatch }) => [beginBatch, endBatch]);
    const notices = await readNotices(this.#reader, [...new Set(batches.filter((batch) => batch !== null))]);
    return { items, next, notices };
  }
}
