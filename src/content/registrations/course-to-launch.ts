import type { Transaction } from '../../database/database.ts';
import type { AccountResource } from '../../events/event.ts';
import { type InputError, invalidInput } from '../../problems/problem.ts';
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
  const choices = await lockChoices(tx, registration, { language, isOpened });
  const errors = languageErrors(registration, language, choices);
  if (errors.length > 0) throw invalidInput(errors);
  const [first] = choices;
  const fitting = language === null ? [] : fittingLanguages(choices, [language]);
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
  const keeps = hasResult(registration) ? choices : [first];
  if (registration.language === null && keeps.some((each) => each.courseId === courseId)) return registration;
  return toRegistration(await updatePlayed(tx, registrationId, { ...first, language: null }, now));
}

/** What is wrong with the language of a launch. For a launch that is invalid anyway: it changes nothing. */
export async function launchErrors(
  tx: Transaction,
  registration: Registration,
  { language, isOpened }: { language: string | null; isOpened: IsOpened },
): Promise<InputError[]> {
  return languageErrors(registration, language, await lockChoices(tx, registration, { language, isOpened }));
}

/** The courses among which the launch decides. None if the registration keeps the course that it has. */
async function lockChoices(
  tx: Transaction,
  registration: Registration,
  { language, isOpened }: { language: string | null; isOpened: IsOpened },
): Promise<LanguageChoice[]> {
  const { registrationId, equivalentId } = registration;
  if (equivalentId === null) return [];
  const isChoosable =
    registration.language === null ||
    (language !== null && !hasResult(registration) && !(await isOpened(tx, registrationId)));
  return isChoosable ? await lockLanguageChoices(tx, equivalentId) : [];
}

/** If a registration has a result, no event would say that it belongs to another course from now on. */
function hasResult(registration: Registration): boolean {
  return changesResult(INITIAL_STATUS, registration);
}

function languageErrors(
  { equivalentId }: Registration,
  language: string | null,
  choices: readonly LanguageChoice[],
): InputError[] {
  if (language === null) return [];
  if (equivalentId === null)
    return [{ pointer: '/language', detail: 'is only for a registration of an equivalent' }];
  if (choices.length === 0 || fittingLanguages(choices, [language]).length > 0) return [];
  const languages = choices.map((each) => each.language).join(', ');
  return [{ pointer: '/language', detail: `must be a language of the equivalent: ${languages}` }];
}
