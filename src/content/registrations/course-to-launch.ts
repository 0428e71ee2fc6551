import type { Transaction } from '../../database/database.ts';
import type { AccountResource } from '../../events/event.ts';
import { invalidInput } from '../../problems/problem.ts';
import { assertEntitled, type Naming } from './entitlement.ts';
import { type LanguageChoice, lockLanguageChoices } from './equivalent-courses.ts';
import { fittingLanguages } from './language-choice.ts';
import { INITIAL_STATUS, type Registration } from './registration.ts';
import { changesResult } from './registration-events.ts';
import { toRegistration } from './registration-rows.ts';
import { updatePlayed } from './registration-store.ts';

/** Whether a learner has opened the course of a registration, which then keeps it. */
export type IsOpened = (tx: Transaction, registrationId: string) => Promise<boolean>;

/**
 * Requires that the account has what a launch opens, and sets the course of the registration to the one that is launched.
 * Until a language is chosen, the account needs the equivalent, because the learner may get any of its courses. Until the
 * learner opens the course or has a result, the language of a launch replaces that of an earlier one. The account needs
 * the equivalent for that, too. If an earlier release deleted the equivalent, the registration is for the course that it
 * has.
 *
 * @param options `language`: requested by the launch; null for none
 * @throws {ProblemError} `conflict`, or `invalid-request` if no course of the equivalent is in the language
 */
export async function courseToLaunch(
  tx: Transaction,
  account: AccountResource,
  registration: Registration,
  {
    language,
    mayName,
    isOpened,
    now,
  }: { language: string | null; isOpened: IsOpened; now: number } & Required<Naming>,
): Promise<Registration> {
  const { registrationId, courseId, equivalentId } = registration;
  if (equivalentId === null && language !== null) {
    const detail = 'is only for a registration of an equivalent';
    throw invalidInput([{ pointer: '/language', detail }]);
  }
  // No event would say that the result belongs to another course from now on.
  const hasResult = changesResult(INITIAL_STATUS, registration);
  const isChoosable =
    registration.language === null ||
    (language !== null && !hasResult && !(await isOpened(tx, registrationId)));
  const choices = equivalentId !== null && isChoosable ? await lockLanguageChoices(tx, equivalentId) : [];
  const [first] = choices;
  const fitting = language === null || first === undefined ? [] : choicesIn(choices, language);
  const isKept = fitting.some((each) => each.language === registration.language);
  if (equivalentId === null || first === undefined || isKept) {
    await assertEntitled(tx, account, { type: 'COURSE', id: courseId }, { mayName });
    return registration;
  }
  await assertEntitled(tx, account, { type: 'EQUIVALENT', id: equivalentId }, { mayName });
  const [choice, another] = fitting;
  // If several match, the learner chooses.
  if (choice !== undefined && another === undefined) {
    return toRegistration(await updatePlayed(tx, registrationId, choice, now));
  }
  const keeps = hasResult ? choices : [first];
  if (registration.language === null && keeps.some((each) => each.courseId === courseId)) return registration;
  return toRegistration(await updatePlayed(tx, registrationId, { ...first, language: null }, now));
}

/** The choices that match the language: at least one. */
function choicesIn(choices: readonly LanguageChoice[], language: string): LanguageChoice[] {
  const fitting = fittingLanguages(choices, [language]);
  if (fitting.length > 0) return fitting;
  const languages = choices.map((each) => each.language).join(', ');
  const detail = `must be a language of the equivalent: ${languages}`;
  throw invalidInput([{ pointer: '/language', detail }]);
}
