import assert from 'node:assert/strict';
import { MOMENT } from '../support/moment.ts';
import type { Choices } from './choices.ts';
import {
  type Account,
  type AssetReference,
  type ContentModel,
  keyOf,
  type Registration,
} from './content-model.ts';
import { answered, type ContentOperation, created, deleted } from './operation.ts';

/** The unit of `cmi5Package`. */
const CMI5_UNIT = 'https://courses.example/cmi5/au';

/** Chooses operations on accounts, their content, and registrations. */
export class AccountOperations {
  readonly #model: ContentModel;
  readonly #choices: Choices;

  constructor(model: ContentModel, choices: Choices) {
    this.#model = model;
    this.#choices = choices;
  }

  createAccount(): ContentOperation {
    const name = this.#choices.name('Account');
    const enabled = this.#choices.chance(0.8);
    const brief = enabled && this.#choices.chance(0.5);
    return {
      what: `create account ${name}`,
      concerns: { changes: [], reads: [] },
      run: async (call, user) => {
        const { id } = created(await call('POST', '/accounts', brief ? { name } : { name, enabled }));
        const account: Account = { id, name, enabled, contents: [] };
        this.#model.accounts.set(id, account);
        return [this.#model.accountEvent('ACCOUNT_CREATED', account, user)];
      },
    };
  }

  updateAccount(): ContentOperation | null {
    const account = this.#choices.one(this.#model.accounts.values());
    if (account === undefined) return null;
    const name = this.#choices.chance(0.3) ? this.#choices.name('Account') : account.name;
    const enabled = this.#choices.chance(account.enabled ? 0.4 : 0.9);
    return {
      what: `update account ${account.id}: ${name}, ${enabled}`,
      concerns: { changes: [`account ${account.id}`], reads: [] },
      run: async (call, user) => {
        answered(await call('PUT', `/accounts/${account.id}`, { name, enabled }), 200);
        const isSwitched = account.enabled !== enabled;
        Object.assign(account, { name, enabled });
        return isSwitched ? [this.#model.accountEvent('ACCOUNT_ACTIVATION_UPDATED', account, user)] : [];
      },
    };
  }

  deleteAccount(): ContentOperation | null {
    const account = this.#choices.one(this.#model.accounts.values());
    if (account === undefined || this.#model.accounts.size < 5) return null;
    return {
      what: `delete account ${account.id}`,
      concerns: { changes: [`account ${account.id}`], reads: [] },
      run: async (call, user) => {
        deleted(await call('DELETE', `/accounts/${account.id}`));
        this.#model.accounts.delete(account.id);
        for (const { id, accountId } of this.#model.registrations.values())
          if (accountId === account.id) this.#model.registrations.delete(id);
        return [this.#model.accountEvent('ACCOUNT_DELETED', account, user)];
      },
    };
  }

  addContent(): ContentOperation | null {
    const account = this.#choices.one(this.#model.accounts.values());
    const assets = this.#choices.some(this.#model.assets(), this.#choices.chance(0.6) ? 1 : 5);
    if (account === undefined) return null;
    return {
      what: `add ${assets.map(keyOf)} to account ${account.id}`,
      concerns: this.#concernsOfContent(account, assets),
      run: async (call, user) => {
        answered(await call('POST', `/accounts/${account.id}/content`, { contents: assets }), 200);
        const had = new Set(account.contents.map(keyOf));
        const added = assets.filter((each) => !had.has(keyOf(each)));
        account.contents.push(...added);
        return this.#model.contentEvents('CONTENT_ADDED_TO_ACCOUNT', account, added, user);
      },
    };
  }

  removeContent(): ContentOperation | null {
    const account = this.#choices.one(
      [...this.#model.accounts.values()].filter((each) => each.contents.length > 0),
    );
    const asset = account && this.#choices.one(account.contents);
    if (account === undefined || asset === undefined) return null;
    return {
      what: `remove ${keyOf(asset)} from account ${account.id}`,
      concerns: this.#concernsOfContent(account, [asset]),
      run: async (call, user) => {
        deleted(await call('DELETE', `/accounts/${account.id}/content/${asset.type}/${asset.id}`));
        account.contents = account.contents.filter((each) => each !== asset);
        return this.#model.contentEvents('CONTENT_REMOVED_FROM_ACCOUNT', account, [asset], user);
      },
    };
  }

  register(): ContentOperation | null {
    const account = this.#choices.one(
      [...this.#model.accounts.values()].filter((each) => each.contents.length > 0),
    );
    if (account === undefined) return null;
    const held = [...this.#model.courses.values()].filter(({ id }) => this.#model.accountHolds(account, id));
    // Now and then a course that the account may not have.
    const course = this.#choices.one(
      this.#choices.chance(0.9) && held.length > 0 ? held : this.#model.courses.values(),
    );
    if (course === undefined) return null;
    const learnerId = this.#choices.name('learner');
    return {
      what: `register ${learnerId} to course ${course.id} for account ${account.id}`,
      concerns: { changes: [], reads: [`account ${account.id}`, `course ${course.id}`] },
      run: async (call) => {
        const parties = { account_id: account.id, course_id: course.id, learner_id: learnerId };
        const answer = await call('POST', '/registrations', parties);
        if (!account.enabled || !this.#model.accountHolds(account, course.id)) {
          answered(answer, 409);
          return [];
        }
        const { registration_id: id, version_id } = created(answer);
        assert.equal(version_id, course.published);
        this.#model.registrations.set(id, {
          id,
          accountId: account.id,
          courseId: course.id,
          versionId: course.published,
          learnerId,
          launched: false,
          waived: false,
          completion: 'Unknown',
          success: 'UNKNOWN',
          score: null,
          duration: 0,
          completionDt: null,
        });
        return [];
      },
    };
  }

  launch(): ContentOperation | null {
    const registration = this.#choices.one(this.#model.registrations.values());
    if (registration === undefined) return null;
    return {
      what: `launch registration ${registration.id}`,
      concerns: concernsOf(registration),
      run: async (call) => {
        const answer = await call('POST', `/registrations/${registration.id}/launch`);
        const account = this.#model.accounts.get(registration.accountId)!;
        if (!account.enabled || !this.#model.accountHolds(account, registration.courseId)) {
          answered(answer, 409);
          return [];
        }
        answered(answer, 200);
        if (registration.launched) return [];
        registration.launched = true;
        return [this.#model.registrationEvent('REGISTRATION_LAUNCHED', registration, registration.learnerId)];
      },
    };
  }

  updateStatus(): ContentOperation | null {
    const registration = this.#choices.one(this.#model.registrations.values());
    if (registration === undefined) return null;
    const choices = this.#choices;
    const keep = choices.chance(0.25);
    const completion = keep ? registration.completion : choices.pick(['Completed', 'Incomplete', 'Unknown']);
    const success = keep ? registration.success : choices.pick(['PASS', 'FAIL', 'UNKNOWN']);
    const score = keep ? registration.score : choices.pick([null, 0, 100, 85.5, 33.333]);
    const duration = choices.between(0, 5_000);
    const given = choices.chance(0.2)
      ? new Date(Date.UTC(2025, 0, choices.between(1, 28), 9)).toISOString()
      : null;
    return {
      what: `set registration ${registration.id} to ${completion}, ${success}, ${score}`,
      concerns: concernsOf(registration),
      run: async (call, user) => {
        const answer = await call('PUT', `/registrations/${registration.id}/status`, {
          completion,
          success,
          duration,
          ...(score === null ? {} : { score }),
          ...(given === null ? {} : { completion_dt: given }),
        });
        const isChange =
          registration.completion !== completion ||
          registration.success !== success ||
          registration.score !== score;
        const { completion_dt: reported } = answered(answer, 200).body;
        const before = given ?? registration.completionDt;
        if (before !== null || completion !== 'Completed') assert.equal(reported, before);
        else assert.match(reported, MOMENT);
        Object.assign(registration, { completion, success, score, duration, completionDt: reported });
        return isChange
          ? [this.#model.registrationEvent('REGISTRATION_STATUS_UPDATED', registration, user)]
          : [];
      },
    };
  }

  /** Waives the only unit of a cmi5 course; other courses refuse it. */
  waive(): ContentOperation | null {
    const isCmi5 = ({ courseId, versionId }: Registration) =>
      this.#model.courses.get(courseId)!.versions[versionId] === 'CMI5';
    const all = [...this.#model.registrations.values()];
    const cmi5 = all.filter(isCmi5);
    const registration = this.#choices.one(cmi5.length > 0 && this.#choices.chance(0.9) ? cmi5 : all);
    if (registration === undefined) return null;
    return {
      what: `waive the unit of registration ${registration.id}`,
      concerns: concernsOf(registration),
      run: async (call, user) => {
        const place = `/registrations/${registration.id}`;
        const answer = await call('POST', `${place}/waive`, { unit_id: CMI5_UNIT });
        const isRefused = registration.waived || !isCmi5(registration);
        const mayHaveHappened = !isRefused && answer.wasRepeated && answer.status === 409;
        if (!mayHaveHappened) answered(answer, isRefused ? 409 : 200);
        if (isRefused) return [];
        const { body } = mayHaveHappened ? answered(await call('GET', place), 200) : answer;
        assert.deepEqual([body.completion, body.success], ['Completed', 'PASS']);
        const { completion, success, score, duration, completion_dt: completionDt } = body;
        const isChange =
          registration.completion !== completion ||
          registration.success !== success ||
          registration.score !== score;
        Object.assign(registration, { completion, success, score, duration, completionDt, waived: true });
        return isChange
          ? [this.#model.registrationEvent('REGISTRATION_STATUS_UPDATED', registration, user)]
          : [];
      },
    };
  }

  deleteRegistration(): ContentOperation | null {
    const registration = this.#choices.one(this.#model.registrations.values());
    if (registration === undefined) return null;
    return {
      what: `delete registration ${registration.id}`,
      concerns: concernsOf(registration),
      run: async (call) => {
        deleted(await call('DELETE', `/registrations/${registration.id}`));
        this.#model.registrations.delete(registration.id);
        return [];
      },
    };
  }

  #concernsOfContent({ id }: Account, assets: readonly AssetReference[]): ContentOperation['concerns'] {
    const courses = assets.filter(({ type }) => type === 'COURSE').map((course) => `course ${course.id}`);
    const folders = assets.some(({ type }) => type === 'FOLDER')
      ? ['what folders hold', ...[...this.#model.courses.keys()].map((course) => `course ${course}`)]
      : [];
    return { changes: [`account ${id}`], reads: [...courses, ...folders] };
  }
}

function concernsOf({ id, accountId }: Registration): ContentOperation['concerns'] {
  return { changes: [`registration ${id}`], reads: [`account ${accountId}`] };
}
