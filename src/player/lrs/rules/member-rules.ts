import { isObject } from '../../../is-object.ts';
import { ENOUGH_ERRORS, type InputError, pointerTo } from '../../../problems/problem.ts';
import type { JsonObject } from '../xapi-types.ts';
import * as is from './data-types.ts';

/** The rule for a member of an object. It adds any errors to `errors`. */
export type Rule = (value: unknown, at: string, errors: Errors) => void;

/** Collects the errors in a request. */
export class Errors {
  readonly found: InputError[] = [];
  /** Whether the rules of xAPI 2.0 apply. */
  readonly isVersion2: boolean;

  constructor(isVersion2: boolean) {
    this.isVersion2 = isVersion2;
  }

  add(pointer: string, detail: string): void {
    if (this.found.length < ENOUGH_ERRORS) this.found.push({ pointer, detail });
  }
}

/** Turns a check from `data-types.ts` into a rule. */
export function plain(check: is.Check): Rule {
  return (value, at, errors) => {
    const wrong = check(value);
    if (wrong !== null) errors.add(at, wrong);
  };
}

/** Checks an object that may have no other members. Returns the object, or null if the value is not an object. */
export function members(
  value: unknown,
  at: string,
  errors: Errors,
  rules: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
): JsonObject | null {
  if (!isObject(value)) {
    errors.add(at, 'must be an object');
    return null;
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) errors.add(pointerTo(at, name), 'is required');
  }
  for (const [name, member] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const pointer = pointerTo(at, name);
    if (rule === undefined) errors.add(pointer, 'is not a known member');
    else if (member === null) errors.add(pointer, 'must not be null');
    else rule(member, pointer, errors);
  }
  return value;
}

/** An array whose items all follow the same rule. */
export function list(of: Rule): Rule {
  return (value, at, errors) => {
    if (!Array.isArray(value)) return errors.add(at, 'must be an array');
    for (const [place, item] of value.entries()) of(item, pointerTo(at, place), errors);
  };
}

/** Texts by language. */
export const languageMap: Rule = (value, at, errors) => {
  if (!isObject(value)) return errors.add(at, 'must be an object with a text for each language');
  for (const [language, words] of Object.entries(value)) {
    const pointer = pointerTo(at, language);
    const wrong =
      is.isLanguage(language) === null ? is.isText(words) : 'must have a language tag as its name';
    if (wrong !== null) errors.add(pointer, wrong);
  }
};

/** Arbitrary values by IRI. */
export const extensions: Rule = (value, at, errors) => {
  if (!isObject(value)) return errors.add(at, 'must be an object');
  for (const name of Object.keys(value)) {
    if (is.isIri(name) !== null) errors.add(pointerTo(at, name), 'must have an absolute IRI as its name');
  }
};
