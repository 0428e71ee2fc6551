import { KIB } from '../../../bytes.ts';
import { isObject } from '../../../is-object.ts';
import { invalidInput, ProblemError, pointerTo } from '../../../problems/problem.ts';
import { TimeSlices } from '../../../time/time-slices.ts';
import {
  type Attachment,
  type JsonObject,
  type Statement,
  VERSION_OF_1,
  VERSION_OF_2,
  VOIDED,
} from '../xapi-types.ts';
import { activity } from './activity-rules.ts';
import { actor, agent, authority, group } from './actor-rules.ts';
import * as is from './data-types.ts';
import { Errors, extensions, languageMap, list, members, plain, type Rule } from './member-rules.ts';

/** The rules for statements (xAPI, sections 2 and 4 of "Data"). Errors point to every invalid member. */

/** Maximum number of members and items in all statements of a request: 200 for each. Validating more takes too long. */
export const MAX_MEMBERS = 100_000;
/** Maximum size of a statement that a client sends, as JSON. */
const MAX_STATEMENT_BYTES = 256 * KIB;
const CONTEXT_ACTIVITIES = ['parent', 'grouping', 'category', 'other'];

/**
 * Validates statements sent by a client. Lets the event loop turn between them, because a request may have many.
 * @param options.isVersion2 whether the client uses xAPI 2.0
 * @param options.isList whether they were sent as a list, so that pointers include the positions
 * @returns the same statements
 * @throws {ProblemError} `invalid-request`, `content-too-large`
 */
export async function validStatements(
  values: readonly unknown[],
  { isVersion2, isList }: { isVersion2: boolean; isList: boolean },
): Promise<Statement[]> {
  const errors = new Errors(isVersion2);
  const ids = new Set<string>();
  const slices = new TimeSlices();
  // Parsing them may have taken long.
  await slices.next();
  for (const [place, value] of values.entries()) {
    // First, because it takes less time than the rules.
    assertStatementSize(value);
    const at = isList ? pointerTo('', place) : '';
    statement(value, at, errors);
    const id = isObject(value) && typeof value.id === 'string' ? value.id.toLowerCase() : null;
    if (id !== null && ids.has(id))
      errors.add(pointerTo(at, 'id'), 'is the id of another statement in this request');
    if (id !== null) ids.add(id);
    await slices.pause();
  }
  if (errors.found.length > 0) throw invalidInput(errors.found);
  return values as Statement[];
}

/**
 * Not for statements of the service: those of cmi5 contain launch parameters of any length.
 * @throws {ProblemError} `content-too-large`
 */
function assertStatementSize(value: unknown): void {
  if (JSON.stringify(value).length <= MAX_STATEMENT_BYTES) return;
  throw new ProblemError('content-too-large', `A statement is larger than ${MAX_STATEMENT_BYTES} bytes`);
}

const verb: Rule = (value, at, errors) =>
  void members(value, at, errors, { id: plain(is.isIri), display: languageMap }, ['id']);

const statementRef: Rule = (value, at, errors) => {
  const rules = { objectType: plain(is.isOneOf('StatementRef')), id: plain(is.isUuid) };
  members(value, at, errors, rules, ['objectType', 'id']);
};

function object(allowsSubStatement: boolean): Rule {
  return (value, at, errors) => {
    const type = isObject(value) ? (value.objectType ?? 'Activity') : 'Activity';
    switch (type) {
      case 'Activity':
        return activity(value, at, errors);
      case 'Agent':
      case 'Group':
        return actor(value, at, errors);
      case 'StatementRef':
        return statementRef(value, at, errors);
      case 'SubStatement':
        if (allowsSubStatement) return subStatement(value, at, errors);
    }
    const types = [
      'Activity',
      'Agent',
      'Group',
      'StatementRef',
      ...(allowsSubStatement ? ['SubStatement'] : []),
    ];
    errors.add(pointerTo(at, 'objectType'), `must be one of ${types.join(', ')}`);
  };
}

const score: Rule = (value, at, errors) => {
  const number = plain(is.isNumber);
  const found = members(value, at, errors, { scaled: number, raw: number, min: number, max: number });
  if (found === null) return;
  const { scaled, raw, min, max } = found;
  if (typeof scaled === 'number' && Math.abs(scaled) > 1) {
    errors.add(pointerTo(at, 'scaled'), 'must be between -1 and 1');
  }
  if (typeof min === 'number' && typeof max === 'number' && min >= max) {
    errors.add(pointerTo(at, 'min'), 'must be less than max');
  }
  if (typeof raw !== 'number') return;
  if ((typeof min === 'number' && raw < min) || (typeof max === 'number' && raw > max)) {
    errors.add(pointerTo(at, 'raw'), 'must be between min and max');
  }
};

const RESULT_RULES: Readonly<Record<string, Rule>> = {
  score,
  success: plain(is.isBoolean),
  completion: plain(is.isBoolean),
  response: plain(is.isText),
  duration: plain(is.isDuration),
  extensions,
};
const result: Rule = (value, at, errors) => void members(value, at, errors, RESULT_RULES);

const activities: Rule = (value, at, errors) =>
  (Array.isArray(value) ? list(activity) : activity)(value, at, errors);
const contextActivities: Rule = (value, at, errors) =>
  void members(value, at, errors, Object.fromEntries(CONTEXT_ACTIVITIES.map((name) => [name, activities])));

/** xAPI 2.0: an agent or group and its role in the statement. */
function contextual(type: string, member: string, of: Rule): Rule {
  const rules: Record<string, Rule> = {
    objectType: plain(is.isOneOf(type)),
    [member]: of,
    relevantTypes: (value, at, errors) => {
      list(plain(is.isIri))(value, at, errors);
      if (Array.isArray(value) && value.length === 0) errors.add(at, 'must not be empty');
    },
  };
  return list((item, at, errors) => void members(item, at, errors, rules, ['objectType', member]));
}

const CONTEXT_RULES: Readonly<Record<string, Rule>> = {
  registration: plain(is.isUuid),
  instructor: actor,
  team: group,
  contextActivities,
  revision: plain(is.isText),
  platform: plain(is.isText),
  language: plain(is.isLanguage),
  statement: statementRef,
  extensions,
};
const CONTEXT_RULES_OF_2: Readonly<Record<string, Rule>> = {
  ...CONTEXT_RULES,
  contextAgents: contextual('contextAgent', 'agent', agent),
  contextGroups: contextual('contextGroup', 'group', group),
};
const context: Rule = (value, at, errors) =>
  void members(value, at, errors, errors.isVersion2 ? CONTEXT_RULES_OF_2 : CONTEXT_RULES);

const ATTACHMENT_RULES: Readonly<Record<string, Rule>> = {
  usageType: plain(is.isIri),
  display: languageMap,
  description: languageMap,
  contentType: plain(is.isMediaType),
  length: plain(is.isCount),
  sha2: plain(is.isSha2),
  fileUrl: plain(is.isIri),
};
const attachment: Rule = (value, at, errors) =>
  void members(value, at, errors, ATTACHMENT_RULES, [
    'usageType',
    'display',
    'contentType',
    'length',
    'sha2',
  ]);

/** The members that statements and substatements share. */
const COMMON_RULES: Readonly<Record<string, Rule>> = {
  actor,
  verb,
  result,
  context,
  timestamp: plain(is.isTimestamp),
  attachments: list(attachment),
};
const SUBSTATEMENT_RULES: Readonly<Record<string, Rule>> = {
  ...COMMON_RULES,
  objectType: plain(is.isOneOf('SubStatement')),
  object: object(false),
};
const STATEMENT_RULES: Readonly<Record<string, Rule>> = {
  ...COMMON_RULES,
  object: object(true),
  id: plain(is.isUuid),
  stored: plain(is.isTimestamp),
  authority,
  version: (value, at, errors) => {
    const fits =
      typeof value === 'string' &&
      (VERSION_OF_1.test(value) || (errors.isVersion2 && VERSION_OF_2.test(value)));
    if (!fits) errors.add(at, errors.isVersion2 ? 'must be 1.0.x or 2.0.x' : 'must be 1.0.x');
  },
};

function subStatement(value: unknown, at: string, errors: Errors): void {
  const found = members(value, at, errors, SUBSTATEMENT_RULES, ['objectType', 'actor', 'verb', 'object']);
  if (found !== null) contextFitsObject(found, at, errors);
}

function statement(value: unknown, at: string, errors: Errors): void {
  const found = members(value, at, errors, STATEMENT_RULES, ['actor', 'verb', 'object']);
  if (found === null) return;
  contextFitsObject(found, at, errors);
  const isVoiding = isObject(found.verb) && found.verb.id === VOIDED;
  if (isVoiding && !(isObject(found.object) && found.object.objectType === 'StatementRef')) {
    errors.add(pointerTo(at, 'object'), 'must be a StatementRef if the verb is voided');
  }
}

/** Only a statement about an activity may have a revision and a platform. */
function contextFitsObject(
  { object: target, context: around }: JsonObject,
  at: string,
  errors: Errors,
): void {
  if (!isObject(around) || !isObject(target) || (target.objectType ?? 'Activity') === 'Activity') return;
  for (const name of ['revision', 'platform']) {
    if (Object.hasOwn(around, name)) {
      errors.add(
        pointerTo(pointerTo(at, 'context'), name),
        'is only allowed in statements about an activity',
      );
    }
  }
}

/** All attachments of a statement, including those of its substatement. */
export function attachmentsOf(value: Statement): Attachment[] {
  const inner = isObject(value.object) ? (value.object.attachments as Attachment[] | undefined) : undefined;
  return [...(value.attachments ?? []), ...(inner ?? [])];
}
