import { randomUUID } from 'node:crypto';
import { isPerson } from '../../audit/actor.ts';
import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { sent } from '../../database/sent.ts';
import type { AccountResource, EventPublisher } from '../../events/event.ts';
import { type InputError, invalidInput, notFound } from '../../problems/problem.ts';
import { assertRevision } from '../../problems/revision.ts';
import type {
  ChangeContext,
  ChangeContextOf,
  EventlessChangeOf,
  EventlessCreation,
} from '../assets/change.ts';
import { courseToLaunch, type IsOpened, launchErrors } from './course-to-launch.ts';
import { assertEntitled, type Naming, type Subject } from './entitlement.ts';
import { lockLanguageChoices } from './equivalent-courses.ts';
import { type AllowedLaunch, type Launch, resolveLaunch, type WantedLanguage } from './launch.ts';
import type { LaunchTokens } from './launch-tokens.ts';
import {
  INITIAL_STATUS,
  type Registration,
  type RegistrationFilter,
  type RegistrationLaunchMode,
  type RegistrationStatus,
} from './registration.ts';
import { recordRegistrationChange } from './registration-audit.ts';
import { changesResult, launchedEvent, statusEvent } from './registration-events.ts';
import {
  lockExistingAccount,
  lockPublishedVersion,
  noSuchParty,
  partyErrors,
} from './registration-parties.ts';
import { lockWithAccount, requireRegistration, toRegistration } from './registration-rows.ts';
import {
  deleteRegistration,
  insertRegistration,
  lockRegistration,
  readRegistration,
  readRegistrations,
  updateLaunched,
  updatePlayed,
  updateRevision,
  updateStatus,
} from './registration-store.ts';
import type { PartOfRecords } from './registrations-of.ts';

/** Dependencies of {@link RegistrationService}. */
export interface RegistrationServiceDependencies {
  database: Database;
  events: EventPublisher<Transaction>;
  launchTokens: LaunchTokens;
  /** Deletes records before their registration, in transactions of their own. */
  partOfRecords: PartOfRecords;
  now: () => number;
}

/** Registrations of learners for courses, and the events of topic REGISTRATION. */
export class RegistrationService {
  readonly #with: RegistrationServiceDependencies;

  constructor(dependencies: RegistrationServiceDependencies) {
    this.#with = dependencies;
  }

  /** The errors in what a body refers to, even if it does not match its schema. */
  async inputErrors(input: unknown): Promise<InputError[]> {
    return await partyErrors(this.#with.database.reader, input);
  }

  /**
   * Registers a learner for the published version of a course, or for an equivalent. The first course of an equivalent
   * represents it until a language is chosen. A learner can have several registrations. The audit log records it only
   * for a person.
   * @throws {ProblemError} `invalid-request` if the account, course or equivalent does not exist, `conflict` if the
   *   account is disabled or does not have it
   */
  async create(
    { accountId, subject, learnerId }: Pick<Registration, 'accountId' | 'learnerId'> & { subject: Subject },
    { by, tx: open, mayName = false }: EventlessCreation & Naming,
  ): Promise<Registration> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const account = await lockExistingAccount(tx, accountId);
      const courseId =
        subject.type === 'COURSE' ? subject.id : (await lockLanguageChoices(tx, subject.id))[0]?.courseId;
      const versionId = courseId === undefined ? undefined : await lockPublishedVersion(tx, courseId);
      if (account === undefined || courseId === undefined || versionId === undefined) {
        const errors: InputError[] = [];
        if (account === undefined) errors.push(noSuchParty('account', accountId));
        if (versionId === undefined) {
          errors.push(noSuchParty(subject.type === 'COURSE' ? 'course' : 'equivalent', subject.id));
        }
        throw invalidInput(errors);
      }
      await assertEntitled(tx, account, subject, { mayName });
      const equivalentId = subject.type === 'EQUIVALENT' ? subject.id : null;
      const registration = {
        registrationId: randomUUID(),
        accountId,
        courseId,
        versionId,
        learnerId,
        equivalentId,
      };
      const now = this.#with.now();
      const created = toRegistration(await insertRegistration(tx, registration, INITIAL_STATUS, now));
      if (isPerson(by)) {
        const change = { by, action: 'REGISTRATION_CREATED', before: null, after: created } as const;
        await recordRegistrationChange(tx, change, now);
      }
      return created;
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(registrationId: string): Promise<Registration> {
    return await requireRegistration(this.#with.database.reader, registrationId);
  }

  /** Oldest first. */
  async list(filter: RegistrationFilter, page: PageRequest): Promise<Page<Registration>> {
    const rows = await readRegistrations(this.#with.database.reader, filter, page);
    const { items, next } = toPage(rows, page.limit);
    return { items: items.map(toRegistration), next };
  }

  /** The errors in what a launch wants of its registration, even if its body is invalid. */
  async launchErrors(
    registrationId: string,
    wanted: { language: string | null; isOpened: IsOpened },
  ): Promise<InputError[]> {
    return await this.#with.database.transaction(async (tx) => {
      const row = await readRegistration(tx, registrationId);
      return row === undefined ? [] : await launchErrors(tx, toRegistration(row), wanted);
    });
  }

  /**
   * Permits a launch. The first one publishes REGISTRATION_LAUNCHED with the learner as its user. If the launch sets the
   * course or the language of the registration, the audit log records it, but only for a person.
   * @param options `language`: the learner gets the course of the equivalent in this language. If several match, the
   *   browser's languages decide among these, otherwise the learner. It has no effect once the learner has opened a
   *   course or has a result. `isOpened` says whether they have.
   * @throws {ProblemError} `not-found`, `conflict` if the account is disabled or does not have the course or equivalent,
   *   `invalid-request` if no course of the equivalent is in the language
   */
  async launch(
    registrationId: string,
    {
      by,
      tx: open,
      isOpened,
      returnUrl = null,
      language = null,
      mode = 'normal',
      mayName = false,
    }: Pick<ChangeContext, 'by' | 'tx'> &
      Naming & {
        isOpened: IsOpened;
        returnUrl?: string | null;
        language?: string | null;
        mode?: RegistrationLaunchMode;
      },
  ): Promise<AllowedLaunch> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const { account, registration: current } = await lockWithAccount(tx, registrationId);
      const now = this.#with.now();
      const registration = await courseToLaunch(tx, account, current, { language, mayName, isOpened, now });
      if (isPerson(by) && registration !== current) {
        const change = {
          by,
          action: 'REGISTRATION_COURSE_SET',
          before: current,
          after: registration,
        } as const;
        await recordRegistrationChange(tx, change, now);
      }
      if (registration.launchedAt === null) {
        await updateLaunched(tx, registrationId, now);
        await this.#with.events.publish(tx, await launchedEvent(tx, account, registration));
      }
      const requested = registration.language === null ? language : null;
      return this.#with.launchTokens.issue({ ...registration, language: requested, returnUrl, mode });
    });
  }

  /** The registration that a launch token opens, even if the token has expired; null if the text is not a token. */
  registrationOfLaunch(token: string): string | null {
    return this.#with.launchTokens.read(token)?.registrationId ?? null;
  }

  /**
   * Resolves a launch token, or any other text.
   * @param wanted for an equivalent: the language that the learner chose, or the languages that the browser accepts
   */
  async readLaunch(token: string, wanted: WantedLanguage): Promise<Launch> {
    const claim = this.#with.launchTokens.read(token);
    if (claim === null) return { state: 'invalid' };
    if (claim.expiresAt <= this.#with.now()) return { state: 'expired' };
    return await resolveLaunch(this.#with.database.reader, claim, wanted);
  }

  /**
   * Replaces the status. Publishes REGISTRATION_STATUS_UPDATED if completion, success or score changes. The audit log
   * records it only for a person.
   * @param status without `completedAt`, the time of the first completion is kept, or set to now
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async updateStatus(
    registrationId: string,
    status: RegistrationStatus,
    { user, by, expected }: ChangeContextOf,
  ): Promise<Registration> {
    return await this.#with.database.transaction(async (tx) => {
      const { account, registration: current } = await lockWithAccount(tx, registrationId);
      assertRevision(current.revision, expected);
      const after = await this.#changeStatus(tx, account, current, status, user);
      if (isPerson(by) && after !== current) {
        const change = { by, action: 'REGISTRATION_STATUS_SET', before: current, after } as const;
        await recordRegistrationChange(tx, change, this.#with.now());
      }
      return after;
    });
  }

  /**
   * Runs `work` in a transaction that locks the registration, so that changes by learning happen one at a time. Publishes
   * REGISTRATION_STATUS_UPDATED if completion, success or score changes.
   * @param options `user`: of the event, if it is not the learner
   * @param work returns the new status of the registration, or null to leave it unchanged. `changesRecord`: whether the
   *   work has changed what the record of the registration shows of its attempt and units
   * @throws {ProblemError} `not-found`, and what `work` throws
   */
  async withLockedRegistration<R>(
    registrationId: string,
    work: (
      tx: Transaction,
      registration: Registration,
    ) => Promise<{ status: RegistrationStatus | null; changesRecord?: boolean; result: R }>,
    { user }: { user?: string } = {},
  ): Promise<R> {
    return await this.#with.database.transaction(async (tx) => {
      const { account, registration } = await lockWithAccount(tx, registrationId);
      const { status, changesRecord = false, result } = await work(tx, registration);
      const { learnerId } = registration;
      const after =
        status === null
          ? registration
          : await this.#changeStatus(tx, account, registration, status, user ?? learnerId);
      // A change of the status has already made a new revision.
      if (changesRecord && after === registration) await updateRevision(tx, registrationId, this.#with.now());
      return result;
    });
  }

  /**
   * Sets the course of a registration for an equivalent when the learner opens it. Also sets the language if the
   * equivalent still has the course in it. Other registrations are unchanged.
   * @returns null if the equivalent no longer has the course
   */
  async settle(
    tx: Transaction,
    registration: Registration,
    { courseId, language }: Pick<Registration, 'courseId' | 'language'>,
  ): Promise<Registration | null> {
    if (registration.equivalentId === null || registration.language !== null) return registration;
    const choices = await lockLanguageChoices(tx, registration.equivalentId);
    const ofCourse = choices.filter((each) => each.courseId === courseId);
    const choice = ofCourse.find((each) => each.language === language) ?? ofCourse[0];
    // If an earlier release deleted the equivalent, the registration keeps its course.
    if (choice === undefined) return choices.length === 0 ? registration : null;
    return toRegistration(await updatePlayed(tx, registration.registrationId, choice, this.#with.now()));
  }

  /**
   * Resets the status, and switches to the version that is published now. A registration of an equivalent has its first
   * course again. Publishes REGISTRATION_STATUS_UPDATED with the former course if completion, success or score changes.
   * @param before runs first, in the same transaction
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async reset(
    registrationId: string,
    { user, by, expected }: ChangeContextOf,
    before: (tx: Transaction) => Promise<void>,
  ): Promise<Registration> {
    return await this.#with.database.transaction(async (tx) => {
      const { account, registration: current } = await lockWithAccount(tx, registrationId);
      assertRevision(current.revision, expected);
      await before(tx);
      const { equivalentId } = current;
      const [first = current] = equivalentId === null ? [] : await lockLanguageChoices(tx, equivalentId);
      const { courseId } = first;
      const versionId = await lockPublishedVersion(tx, courseId);
      if (versionId === undefined) throw notFound('course', courseId);
      const now = this.#with.now();
      await updateStatus(tx, registrationId, INITIAL_STATUS, now);
      const played = { courseId, versionId, language: null };
      const reset = toRegistration(await updatePlayed(tx, registrationId, played, now));
      if (changesResult(current, reset)) {
        // Webhooks that got the result of a course must also get its reset.
        const ended =
          courseId === current.courseId ? {} : { courseId: current.courseId, versionId: current.versionId };
        await this.#with.events.publish(tx, await statusEvent(tx, account, { ...reset, ...ended }, user));
      }
      const change = { by, action: 'REGISTRATION_RESET', before: current, after: reset } as const;
      await recordRegistrationChange(tx, change, now);
      return reset;
    });
  }

  async #changeStatus(
    tx: Transaction,
    account: AccountResource,
    current: Registration,
    status: RegistrationStatus,
    user: string,
  ): Promise<Registration> {
    const now = this.#with.now();
    const completedNow = status.completion === 'Completed' ? now : null;
    const next = { ...status, completedAt: status.completedAt ?? current.completedAt ?? completedNow };
    const isEvent = changesResult(current, next);
    if (!isEvent && next.duration === current.duration && next.completedAt === current.completedAt) {
      return current;
    }
    const updated = { ...current, ...next, revision: current.revision + 1, updatedAt: now };
    // PostgreSQL gets the update together with the first statement of the event.
    await sent(tx, [updateStatus(tx, current.registrationId, next, now)]);
    if (isEvent) await this.#with.events.publish(tx, await statusEvent(tx, account, updated, user));
    return updated;
  }

  /**
   * Deletes a registration with everything that its learner did. A large amount is mostly deleted beforehand, in
   * several transactions, so that others can save in the meantime. If this fails, the registration still exists without
   * some of its records, and can be deleted again.
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async delete(registrationId: string, { by, expected }: EventlessChangeOf): Promise<void> {
    let isBegun = false;
    const deleteNext = async (tx: Transaction): Promise<boolean> => {
      const row = await lockRegistration(tx, registrationId);
      if (row === undefined) throw notFound('registration', registrationId);
      // Changes that come later must not end a deletion halfway.
      if (!isBegun) assertRevision(row.revision, expected);
      const registration = toRegistration(row);
      const now = this.#with.now();
      if (await this.#with.partOfRecords(tx, [registrationId])) {
        const action = 'REGISTRATION_DELETION_BEGUN';
        const begun = { by, action, before: registration, after: registration } as const;
        if (!isBegun) await recordRegistrationChange(tx, begun, now);
        return true;
      }
      await deleteRegistration(tx, registrationId);
      const change = { by, action: 'REGISTRATION_DELETED', before: registration, after: null } as const;
      await recordRegistrationChange(tx, change, now);
      return false;
    };
    while (await this.#with.database.transaction(deleteNext)) isBegun = true;
  }
}
