import assert from 'node:assert/strict';
import { AccountOperations } from './account-operations.ts';
import type { Choices } from './choices.ts';
import type { ContentModel } from './content-model.ts';
import { ContentOperations } from './content-operations.ts';
import { ManyAccountsOperations } from './many-accounts-operations.ts';
import type { ContentOperation } from './operation.ts';

/** Chooses operations that the current content allows, and some that it does not. */
export class Operations {
  readonly content: ContentOperations;
  readonly accounts: AccountOperations;
  readonly manyAccounts: ManyAccountsOperations;
  readonly #choices: Choices;

  constructor(model: ContentModel, choices: Choices) {
    this.content = new ContentOperations(model, choices);
    this.accounts = new AccountOperations(model, choices);
    this.manyAccounts = new ManyAccountsOperations(model, choices);
    this.#choices = choices;
  }

  /** A random operation; null if the chosen one has nothing to act on. */
  any(): ContentOperation | null {
    const weights: [number, () => ContentOperation | null][] = [
      [8, () => this.accounts.createAccount()],
      [12, () => this.accounts.updateAccount()],
      [3, () => this.accounts.deleteAccount()],
      [2, () => this.content.createFolder()],
      [3, () => this.content.updateFolder()],
      [1, () => this.content.deleteFolder()],
      [4, () => this.content.importCourse()],
      [5, () => this.content.uploadVersion()],
      [6, () => this.content.publishVersion()],
      [3, () => this.content.updateCourse()],
      [1, () => this.content.deleteCourse()],
      [2, () => this.content.createEquivalent()],
      [2, () => this.content.updateEquivalent()],
      [2, () => this.content.createBundle()],
      [2, () => this.content.updateBundle()],
      [1, () => this.content.deleteGroup()],
      [10, () => this.accounts.addContent()],
      [8, () => this.accounts.removeContent()],
      [5, () => this.manyAccounts.add()],
      [4, () => this.manyAccounts.remove()],
      [1, () => this.manyAccounts.refused()],
      [6, () => this.accounts.register()],
      [8, () => this.accounts.launch()],
      [14, () => this.accounts.updateStatus()],
      [5, () => this.accounts.waive()],
      [1, () => this.accounts.deleteRegistration()],
      [2, () => this.#refused()],
    ];
    let left = this.#choices.next() * weights.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choose] of weights) {
      left -= weight;
      if (left < 0) return choose();
    }
    return null;
  }

  /** Invalid requests, which must have no effect. */
  #refused(): ContentOperation {
    const [status, method, path, body] = this.#choices.pick<[number, string, string, unknown?]>([
      [400, 'POST', '/accounts', { name: '' }],
      [400, 'POST', '/accounts', { name: 'A', enable: false }],
      [404, 'PUT', '/accounts/987654', { name: 'A' }],
      [404, 'DELETE', '/accounts/987654'],
      [400, 'POST', '/folders', { name: 'A', parent_id: 987_654 }],
      [404, 'POST', '/courses/987654/versions/0/publish'],
      [400, 'POST', '/registrations', { account_id: 987_654, course_id: 987_654, learner_id: 'x' }],
    ]);
    return {
      what: `${method} ${path}, which is wrong`,
      concerns: { changes: [], reads: [] },
      run: async (call) => {
        const answer = await call(method, path, body);
        assert.ok(answer.status === status, `${answer.status} ${JSON.stringify(answer.body)}`);
        return [];
      },
    };
  }
}
