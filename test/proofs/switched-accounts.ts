import assert from 'node:assert/strict';
import type { Api } from '../support/service.ts';

/** Accounts that are enabled and disabled in turn, each with a webhook that hears of it. */
export class SwitchedAccounts {
  readonly #api: Api;
  readonly #accounts: { id: number; isEnabled: boolean; latest: Promise<unknown> }[] = [];

  constructor(api: Api) {
    this.#api = api;
  }

  get count(): number {
    return this.#accounts.length;
  }

  /** Creates an account. @param targetUrl of its webhook. Null: it has none */
  async add(targetUrl: string | null): Promise<void> {
    const { id } = await this.#api.create('/accounts', { name: `account ${this.count}` });
    this.#accounts.push({ id, isEnabled: true, latest: Promise.resolve() });
    if (targetUrl === null) return;
    await this.#api.create('/webhooks', {
      name: `webhook of ${id}`,
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_ACTIVATION_UPDATED'],
      focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id }],
      target_url: targetUrl,
      logging_mode: 'NONE',
    });
  }

  /** Switches one of the accounts, after its earlier change, and gives it a name by which its message is recognized. */
  async switch(n: number, name: string): Promise<void> {
    const account = this.#accounts[n % this.count]!;
    account.isEnabled = !account.isEnabled;
    const { id, isEnabled } = account;
    const change = account.latest.then(() => this.#api.put(`/accounts/${id}`, { name, enabled: isEnabled }));
    account.latest = change;
    assert.equal((await change).status, 200);
  }
}
