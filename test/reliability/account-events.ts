import assert from 'node:assert/strict';
import type { Instances } from './instances.ts';
import type { SeededRandom } from './seeded-random.ts';

export type AccountSubtopic = 'ACCOUNT_CREATED' | 'ACCOUNT_ACTIVATION_UPDATED' | 'ACCOUNT_DELETED';

/** An event, as every message of it must show it. */
export interface AccountEvent {
  subtopic: AccountSubtopic;
  id: number;
  name: string;
  enabled: boolean;
}

/** Makes the calls; returns null for those that a kill interrupted. */
type Program = Pick<Instances, 'call' | 'read' | 'readAll'>;

interface Account {
  id: number;
  name: string;
  enabled: boolean;
}

/**
 * A client that changes its own accounts, one call after another, and knows the result: a confirmed change
 * has happened, and after an interrupted one it reads the account.
 */
export class AccountChanger {
  /** The events, in order. */
  readonly events: AccountEvent[] = [];
  /** When each of them was confirmed, by `performance.now()`. */
  readonly answers: number[] = [];
  /** Calls that a kill interrupted. */
  cutOff = 0;
  readonly #program: Program;
  readonly #random: SeededRandom;
  readonly #name: string;
  readonly #kept: Account[] = [];
  #accounts: Account[] = [];
  #created = 0;

  constructor(program: Program, random: SeededRandom, name: string) {
    this.#program = program;
    this.#random = random;
    this.#name = name;
  }

  /** Adds an account that the client changes but never deletes. */
  keep(account: Account): void {
    this.#kept.push(account);
  }

  /** Makes one change. */
  async change(): Promise<void> {
    const accounts = [...this.#kept, ...this.#accounts];
    const account = accounts[this.#random.between(0, accounts.length - 1)];
    if (account === undefined || this.#random.chance(0.4)) await this.#create();
    else if (this.#kept.includes(account) || this.#random.chance(0.7)) await this.#toggle(account);
    else await this.#delete(account);
  }

  async #create(): Promise<void> {
    this.#created += 1;
    const name = `${this.#name}-${this.#created}`;
    const answer = await this.#call('POST', '/accounts', { name });
    assert.ok(answer === null || answer.status === 201, JSON.stringify(answer));
    const account: Account | undefined =
      answer?.body ?? (await this.#program.readAll('/accounts')).find((each) => each.name === name);
    if (account === undefined) return;
    const { id, enabled } = account;
    this.#accounts.push({ id, name, enabled });
    this.#happened({ subtopic: 'ACCOUNT_CREATED', id, name, enabled });
  }

  async #toggle(account: Account): Promise<void> {
    const { id, name } = account;
    const enabled = !account.enabled;
    const answer = await this.#call('PUT', `/accounts/${id}`, { name, enabled });
    assert.ok(answer === null || answer.status === 200, JSON.stringify(answer));
    const now = answer ?? (await this.#program.read(`/accounts/${id}`));
    if (now.body.enabled !== enabled) return;
    account.enabled = enabled;
    this.#happened({ subtopic: 'ACCOUNT_ACTIVATION_UPDATED', id, name, enabled });
  }

  async #delete(account: Account): Promise<void> {
    const answer = await this.#call('DELETE', `/accounts/${account.id}`);
    assert.ok(answer === null || answer.status === 204, JSON.stringify(answer));
    if (answer === null && (await this.#program.read(`/accounts/${account.id}`)).status !== 404) return;
    this.#accounts = this.#accounts.filter((each) => each !== account);
    this.#happened({ subtopic: 'ACCOUNT_DELETED', ...account });
  }

  #happened(event: AccountEvent): void {
    this.events.push(event);
    this.answers.push(performance.now());
  }

  async #call(method: string, path: string, body?: unknown) {
    const answer = await this.#program.call(method, path, body);
    if (answer === null) this.cutOff += 1;
    return answer;
  }
}
