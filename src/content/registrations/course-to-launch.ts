import type { Transaction } from '../../database/database.ts';
import type { AccountResource } from '../../events/event.ts';
import { invalidInput } from '../../problems/problem.ts';
import { assertEntitled, type Naming } from './entitlement.ts';
import { type LanguageChoice, lockLanguageChoices } from './equivalent-courses.ts';
import { fittingLanguages } from './language-choice.ts';
import type { Registration } from './registration.ts';
import { toRegistration } from './registration-rows.ts';
import { updatePlayed } from './registration-store.ts';

/**
 * Requires that the account has what a launch opens, and sets the course of the registration to the one that is launched.
 * Until a language is chosen, the account needs the equivalent, because the learner may get any of its courses. Once
 * the equivalent is deleted, the registration is for the course that it has.
 *
 * @param options `language`: requested by the launch; null for none
 * @throws {ProblemError} `conflict`, or `invalid-request` if no course of the equivalent is in the language
 */
export async function courseToLaunch(
  tx: Transaction,
  account: AccountResource,
  registration: Registration,
  { language, mayName, now }: { language: string | null; now: number } & Required<Naming>,
): Promise<Registration> {
  const { registrationId, courseId, equivalentId } = registration;
  if (equivalentId === null && language !== null) {
    const detail = 'is only for a registration of an equivalent';
    throw invalidInput([{ pointer: '/language', detail }]);
  }
  const isOpen = equivalentId !== null && registration.language === null;
  const choices = isOpen ? await lockLanguageChoices(tx, equivalentId) : [];
  const [first] = choices;
  if (!isOpen || first === undefined) {
    await assertEntitled(tx, account, { type: 'COURSE', id: courseId }, { mayName });
    return registration;
  }
  await assertEntitled(tx, account, { type: 'EQUIVALENT', id: equivalentId }, { mayName });
  const choice = language === null ? null : choiceIn(choices, language);
  if (choice !== null) return toRegistration(await updatePlayed(tx, registrationId, choice, now));
  if (choices.some((each) => each.courseId === courseId)) return registration;
  return toRegistration(await updatePlayed(tx, registrationId, { ...first, language: null }, now));
}

/** The choice that matches the language. Null if several match: then the learner chooses. */
function choiceIn(choices: readonly LanguageChoice[], language: string): LanguageChoice | null {
  const [choice, another] = fittingLanguages(choices, [language]);
  if (choice === undefined) {
    const languages = choices.map((each) => each.language).join(', ');
    const detail = `must be a language of the equivalent: ${languages}`;
    throw invalidInput([{ pointer: '/language', detail }]);
  }
  return another === undefined ? choice : null;
}
