import { randomUUID } from 'node:crypto';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import type {
  AccountResource,
  EventOf,
  EventPublisher,
  RegistrationResource,
  RegistrationStatusResource,
} from '../../events/event.ts';
import { type InputError, invalidInput, notFound, ProblemError } from '../../problems/problem.ts';
import { assertRevision, type ExpectedRevisions } from '../../problems/revision.ts';
import { formatOptionalDateTime } from '../../time/date-time.ts';
import { readAssetNames } from '../assets/asset-names.ts';
import type { Change, ChangeOf } from '../assets/change.ts';
import { accountHolds, withHolders } from '../assets/holdings.ts';
import { readCourseInEvent } from '../courses/course-in-event.ts';
import { type LanguageChoice, readLanguageChoices } from './equivalent-courses.ts';
import { fittingLanguages } from './language-choice.ts';
import type { LaunchTokens } from './launch-tokens.ts';
import {
  type Completion,
  INITIAL_STATUS,
  type Registration,
  type RegistrationFilter,
  type RegistrationStatus,
  type Success,
} from './registration.ts';
import { lockExistingAccount, lockPublishedVersion } from './registration-parties.ts';
import {
  deleteRegistration,
  insertRegistration,
  lockRegistration,
  readLaunch,
  readRegistration,
  readRegistrations,
  type StoredRegistration,
  updateLaunched,
  updatePlayed,
  updateStatus,
} from './registration-store.ts';

/** What a registration is for. */
export interface Subject {
  type: 'COURSE' | 'EQUIVALENT';
  id: number;
}

/** A permitted launch: its token and its expiry in epoch milliseconds. */
export interface AllowedLaunch {
  token: string;
  expiresAt: number;
}

/** The result of a launch token: what it launches, or why it does not. */
export type Launch =
  | {
      state: 'open';
      registrationId: string;
      courseId: number;
      courseName: string;
      versionId: number;
      learningStandard: string;
      learnerId: string;
      /** Where the learner returns to; null when the launch call named no address. */
      returnUrl: string | null;
      /** Epoch milliseconds. */
      expiresAt: number;
    }
  /** The learner chooses the language first. */
  | { state: 'choose'; choices: readonly LanguageChoice[] }
  | { state: 'invalid' | 'expired' | 'deleted' };

/** What a launch token that is valid opens. */
export type OpenLaunch = Extract<Launch, { state: 'open' }>;

/** Dependencies of {@link RegistrationService}. */
export interface RegistrationServiceDependencies {
  database: Database;
  events: EventPublisher<Transaction>;
  launchTokens: LaunchTokens;
  now: () => number;
}

/** Registrations of learners for courses, and the events of topic REGISTRATION. */
export class RegistrationService {
  readonly #with: RegistrationServiceDependencies;

  constructor(dependencies: RegistrationServiceDependencies) {
    this.#with = dependencies;
  }

  /**
   * Registers a learner for the published version of a course, or for an equivalent, of which the first course stands
   * for all until a language is chosen. A learner can have several registrations.
   * @throws {ProblemError} `invalid-request` if the account, course or equivalent does not exist, `conflict` if the
   *   account is disabled or does not have it
   */
  async create(
    { accountId, subject, learnerId }: Pick<Registration, 'accountId' | 'learnerId'> & { subject: Subject },
    { tx: open }: Pick<Change, 'tx'>,
  ): Promise<Registration> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const account = await lockExistingAccount(tx, accountId);
      const courseId =
        subject.type === 'COURSE' ? subject.id : (await readLanguageChoices(tx, subject.id))[0]?.courseId;
      const versionId = courseId === undefined ? undefined : await lockPublishedVersion(tx, courseId);
      if (account === undefined || courseId === undefined || versionId === undefined) {
        const errors: InputError[] = [];
        if (account === undefined) errors.push(noSuch('account', accountId));
        if (versionId === undefined) {
          errors.push(noSuch(subject.type === 'COURSE' ? 'course' : 'equivalent', subject.id));
        }
        throw invalidInput(errors);
      }
      await assertEntitled(tx, account, subject);
      const equivalentId = subject.type === 'EQUIVALENT' ? subject.id : null;
      const registration = {
        registrationId: randomUUID(),
        accountId,
        courseId,
        versionId,
        learnerId,
        equivalentId,
      };
      return toRegistration(await insertRegistration(tx, registration, INITIAL_STATUS, this.#with.now()));
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

  /**
   * Permits a launch. The first one publishes REGISTRATION_LAUNCHED with the learner as its user.
   * @param options `language` of an equivalent that the learner gets, if one course alone fits it; without effect once a
   *   language was chosen
   * @throws {ProblemError} `not-found`, `conflict` if the account is disabled or does not have the course,
   *   `invalid-request` for a language that there is no course in
   */
  async launch(
    registrationId: string,
    {
      tx: open,
      returnUrl = null,
      language = null,
    }: Pick<Change, 'tx'> & { returnUrl?: string | null; language?: string | null },
  ): Promise<AllowedLaunch> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const { account, registration: present } = await lockWithAccount(tx, registrationId);
      const registration = language === null ? present : await chooseLanguage(tx, present, language);
      await assertEntitled(tx, account, { type: 'COURSE', id: registration.courseId });
      if (registration.launchedAt === null) {
        await updateLaunched(tx, registrationId, this.#with.now());
        await this.#with.events.publish(tx, {
          ...(await eventOf(tx, account, registration, toRegistrationResource(registration))),
          subtopic: 'REGISTRATION_LAUNCHED',
          user: registration.learnerId,
        });
      }
      return this.#with.launchTokens.issue({ ...registration, returnUrl });
    });
  }

  /**
   * What a launch token, or any other text, launches.
   * @param wanted of an equivalent: the language that the learner chose, else those that the browser asks for
   */
  async readLaunch(
    token: string,
    wanted: { chosen: string | null; accepted: readonly string[] } = { chosen: null, accepted: [] },
  ): Promise<Launch> {
    const claim = this.#with.launchTokens.read(token);
    if (claim === null) return { state: 'invalid' };
    if (claim.expiresAt <= this.#with.now()) return { state: 'expired' };
    const launch = await readLaunch(this.#with.database.reader, claim.registrationId);
    if (launch === undefined) return { state: 'deleted' };
    const isOfEquivalent = launch.equivalent_id !== null;
    // Of an equivalent, the version changes with the language.
    if (launch.version_id !== claim.versionId && !isOfEquivalent) return { state: 'deleted' };
    const { registrationId, returnUrl, expiresAt } = claim;
    if (launch.equivalent_id !== null && launch.language === null) {
      const choices = await readLanguageChoices(this.#with.database.reader, launch.equivalent_id);
      const chosen = choices.filter(({ language }) => language === wanted.chosen);
      const fitting = chosen.length > 0 ? chosen : fittingLanguages(choices, wanted.accepted);
      const only = choices.length === 1 ? choices[0] : fitting.length === 1 ? fitting[0] : undefined;
      if (only !== undefined) {
        const { language: _, ...course } = only;
        return {
          state: 'open',
          registrationId,
          ...course,
          learnerId: launch.learner_id,
          returnUrl,
          expiresAt,
        };
      }
      // Without any, the equivalent is gone, and the course that stood for it is played.
      if (choices.length > 1) return { state: 'choose', choices: fitting.length > 0 ? fitting : choices };
    }
    return {
      state: 'open',
      registrationId: claim.registrationId,
      courseId: launch.course_id,
      courseName: launch.course_name,
      versionId: launch.version_id,
      learningStandard: launch.learning_standard,
      learnerId: launch.learner_id,
      returnUrl: claim.returnUrl,
      expiresAt: claim.expiresAt,
    };
  }

  /**
   * Replaces the status. Publishes REGISTRATION_STATUS_UPDATED if completion, success or score changes.
   * @param status without `completedAt`, the time of the first completion is kept, or set to now
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async updateStatus(
    registrationId: string,
    status: RegistrationStatus,
    { user, expected }: ChangeOf,
  ): Promise<Registration> {
    return await this.#with.database.transaction(async (tx) => {
      const { account, registration: present } = await lockWithAccount(tx, registrationId);
      assertRevision(present.revision, expected);
      return await this.#changeStatus(tx, account, present, status, user);
    });
  }

  /**
   * Runs what learning changes in one transaction that holds the registration, so that one such change happens at a
   * time. REGISTRATION_STATUS_UPDATED, caused by the learner, when completion, success or score really changes.
   * @param work returns the new status of the registration, or null to leave it unchanged
   * @throws {ProblemError} `not-found`, and what `work` throws
   */
  async learn<R>(
    registrationId: string,
    work: (
      tx: Transaction,
      registration: Registration,
    ) => Promise<{ status: RegistrationStatus | null; result: R }>,
  ): Promise<R> {
    return await this.#with.database.transaction(async (tx) => {
      const { account, registration } = await lockWithAccount(tx, registrationId);
      const { status, result } = await work(tx, registration);
      if (status !== null) {
        await this.#changeStatus(tx, account, registration, status, registration.learnerId);
      }
      return result;
    });
  }

  /**
   * Settles the course of a registration of an equivalent, once the learner opens the one that was chosen; any other
   * registration stays as it is.
   */
  async settle(tx: Transaction, registration: Registration, courseId: number): Promise<Registration> {
    if (registration.equivalentId === null || registration.language !== null) return registration;
    const choices = await readLanguageChoices(tx, registration.equivalentId);
    const choice = choices.find((each) => each.courseId === courseId);
    return choice === undefined
      ? registration
      : toRegistration(await updatePlayed(tx, registration.registrationId, choice));
  }

  /**
   * Begins again: the status is as at first, and the version that is published now is the one that is played.
   * REGISTRATION_STATUS_UPDATED when completion, success or score really changes.
   * @param before what else the transaction does first
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async reset(
    registrationId: string,
    { user, expected }: ChangeOf,
    before: (tx: Transaction) => Promise<void>,
  ): Promise<Registration> {
    return await this.#with.database.transaction(async (tx) => {
      const { account, registration: present } = await lockWithAccount(tx, registrationId);
      assertRevision(present.revision, expected);
      await before(tx);
      const versionId = await lockPublishedVersion(tx, present.courseId);
      if (versionId === undefined) throw notFound('course', present.courseId);
      await updateStatus(tx, registrationId, INITIAL_STATUS, this.#with.now());
      const reset = toRegistration(
        await updatePlayed(tx, registrationId, { courseId: present.courseId, versionId, language: null }),
      );
      if (isToldChange(present, reset)) await this.#publishStatus(tx, account, reset, user);
      return reset;
    });
  }

  async #changeStatus(
    tx: Transaction,
    account: AccountResource,
    present: Registration,
    status: RegistrationStatus,
    user: string,
  ): Promise<Registration> {
    const now = this.#with.now();
    const completedNow = status.completion === 'Completed' ? now : null;
    const next = { ...status, completedAt: status.completedAt ?? present.completedAt ?? completedNow };
    const isTold = isToldChange(present, next);
    if (!isTold && next.duration === present.duration && next.completedAt === present.completedAt) {
      return present;
    }
    const updated = toRegistration(await updateStatus(tx, present.registrationId, next, now));
    if (isTold) await this.#publishStatus(tx, account, updated, user);
    return updated;
  }

  async #publishStatus(
    tx: Transaction,
    account: AccountResource,
    registration: Registration,
    user: string,
  ): Promise<void> {
    await this.#with.events.publish(tx, {
      ...(await eventOf(tx, account, registration, toStatusResource(registration))),
      subtopic: 'REGISTRATION_STATUS_UPDATED',
      user,
    });
  }

  /** @throws {ProblemError} `not-found`, `precondition-failed` */
  async delete(registrationId: string, expected: ExpectedRevisions): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      const row = await lockRegistration(tx, registrationId);
      if (row === undefined) throw notFound('registration', registrationId);
      assertRevision(row.revision, expected);
      await deleteRegistration(tx, registrationId);
    });
  }
}

/** Whether a change is an event. A change of duration alone is not. */
function isToldChange(before: RegistrationStatus, after: RegistrationStatus): boolean {
  return (
    after.completion !== before.completion || after.success !== before.success || after.score !== before.score
  );
}

/** A registration that is about to change, and its account, both locked by the transaction. */
async function lockWithAccount(
  tx: Transaction,
  registrationId: string,
): Promise<{ account: AccountResource; registration: Registration }> {
  // A registration never changes its account, so that the account can be locked first.
  const { accountId } = await requireRegistration(tx, registrationId);
  const account = await lockExistingAccount(tx, accountId);
  const row = await lockRegistration(tx, registrationId);
  if (account === undefined || row === undefined) throw notFound('registration', registrationId);
  return { account, registration: toRegistration(row) };
}

/** @throws {ProblemError} `conflict` */
async function assertEntitled(tx: Transaction, account: AccountResource, subject: Subject): Promise<void> {
  const which = `The account “${account.name}” (${account.id})`;
  if (!account.enabled) throw new ProblemError('conflict', `${which} is disabled`);
  if (await accountHolds(tx, account.id, subject)) return;
  const names = await readAssetNames(tx, [subject]);
  const what = `“${names.get(`${subject.type} ${subject.id}`) ?? ''}” (${subject.id})`;
  throw new ProblemError(
    'conflict',
    subject.type === 'COURSE'
      ? `${which} does not have the course ${what}, neither directly nor through an equivalent, a bundle or a folder`
      : `${which} does not have the equivalent ${what}, neither directly nor through a bundle or a folder`,
  );
}

/** @throws {ProblemError} `invalid-request` */
async function chooseLanguage(
  tx: Transaction,
  registration: Registration,
  language: string,
): Promise<Registration> {
  const { equivalentId } = registration;
  if (equivalentId === null) {
    const detail = 'is only for a registration of an equivalent';
    throw invalidInput([{ pointer: '/language', detail }]);
  }
  if (registration.language !== null) return registration;
  const choices = await readLanguageChoices(tx, equivalentId);
  const [choice, another] = fittingLanguages(choices, [language]);
  if (choice === undefined) {
    const languages = choices.map((each) => each.language).join(', ');
    const detail = `must be a language of the equivalent: ${languages}`;
    throw invalidInput([{ pointer: '/language', detail }]);
  }
  // Where several fit, the learner chooses.
  if (another !== undefined) return registration;
  return toRegistration(await updatePlayed(tx, registration.registrationId, choice));
}

/** The members that all events of a registration have. */
async function eventOf<R extends RegistrationResource>(
  tx: Transaction,
  account: AccountResource,
  { accountId, courseId, versionId }: Registration,
  registration: R,
) {
  const course = await readCourseInEvent(tx, courseId, versionId);
  if (course === undefined) throw notFound('course', courseId);
  return {
    resource: { account, content: { course: course.resource }, registration },
    accountId,
    content: await withHolders(tx, [{ type: 'COURSE', id: courseId }]),
  } satisfies Partial<EventOf<'REGISTRATION_LAUNCHED'>>;
}

function toRegistrationResource(registration: Registration): RegistrationResource {
  return {
    account_id: registration.accountId,
    registration_id: registration.registrationId,
    course_id: registration.courseId,
    learner_id: registration.learnerId,
  };
}

function toStatusResource(registration: Registration): RegistrationStatusResource {
  return {
    ...toRegistrationResource(registration),
    completion: registration.completion,
    success: registration.success,
    score: registration.score,
    duration: registration.duration,
    completion_dt: formatOptionalDateTime(registration.completedAt),
  };
}

async function requireRegistration(
  reader: Pick<Reader, 'query'>,
  registrationId: string,
): Promise<Registration> {
  const row = await readRegistration(reader, registrationId);
  if (row === undefined) throw notFound('registration', registrationId);
  return toRegistration(row);
}

function noSuch(what: 'account' | 'course' | 'equivalent', id: number): InputError {
  return { pointer: `/${what}_id`, detail: `there is no ${what} ${id}` };
}

function toRegistration(row: StoredRegistration): Registration {
  return {
    registrationId: row.registration_id,
    accountId: row.account_id,
    courseId: row.course_id,
    versionId: row.version_id,
    learnerId: row.learner_id,
    completion: row.completion as Completion,
    success: row.success as Success,
    score: row.score,
    duration: row.duration,
    completedAt: row.completed_at,
    equivalentId: row.equivalent_id,
    language: row.language,
    launchedAt: row.launched_at,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
