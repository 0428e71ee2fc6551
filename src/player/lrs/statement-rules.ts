import { type InputError, invalidInput, pointerTo } from '../../problems/problem.ts';
import * as is from './data-types.ts';
import { type Attachment, isObject, type JsonObject, type Statement, VOIDED } from './xapi-types.ts';

/** What statements have to be (xAPI, sections 2 and 4 of "Data"). Every offending member is named. */

/** Errors that one answer names: hostile input must not make a hostile answer. */
const MAX_ERRORS = 100;
const IDENTIFIERS = ['mbox', 'mbox_sha1sum', 'openid', 'account'] as const;
const COMPONENT_LISTS: Readonly<Record<string, readonly string[]>> = {
  choice: ['choices'],
  sequencing: ['choices'],
  likert: ['scale'],
  matching: ['source', 'target'],
  performance: ['steps'],
};
const INTERACTIONS = [
  'true-false',
  'choice',
  'fill-in',
  'long-fill-in',
  'matching',
  'performance',
  'sequencing',
  'likert',
  'numeric',
  'other',
];
const ALL_COMPONENTS = ['choices', 'scale', 'source', 'target', 'steps'];
const CONTEXT_ACTIVITIES = ['parent', 'grouping', 'category', 'other'];
const VERSION_OF_1 = /^1\.0(?:\.\d+)?$/;
const VERSION_OF_2 = /^2\.0(?:\.\d+)?$/;

/** What a member of an object has to be; `Errors` learns what it is not. */
type Rule = (value: unknown, at: string, errors: Errors) => void;

class Errors {
  readonly found: InputError[] = [];
  /** Whether the rules of xAPI 2.0 hold. */
  readonly isVersion2: boolean;

  constructor(isVersion2: boolean) {
    this.isVersion2 = isVersion2;
  }

  add(pointer: string, detail: string): void {
    if (this.found.length < MAX_ERRORS) this.found.push({ pointer, detail });
  }
}

/**
 * Checks statements that a client sends.
 * @param options.isVersion2 whether the client speaks xAPI 2.0
 * @param options.isList whether they came as a list, so that pointers name their places
 * @throws {ProblemError} `invalid-request`
 */
export function assertStatements(
  values: readonly unknown[],
  { isVersion2, isList }: { isVersion2: boolean; isList: boolean },
): asserts values is Statement[] {
  const errors = new Errors(isVersion2);
  const ids = new Set<string>();
  for (const [place, value] of values.entries()) {
    const at = isList ? pointerTo('', place) : '';
    statement(value, at, errors);
    const id = isObject(value) && typeof value.id === 'string' ? value.id.toLowerCase() : null;
    if (id !== null && ids.has(id))
      errors.add(pointerTo(at, 'id'), 'is the id of another statement in this request');
    if (id !== null) ids.add(id);
  }
  if (errors.found.length > 0) throw invalidInput(errors.found);
}

/** What is wrong with an agent or identified group that a query names. */
export function agentErrors(value: unknown, pointer: string): readonly InputError[] {
  const errors = new Errors(false);
  actor(value, pointer, errors);
  return errors.found;
}

/** A rule that a check of `data-types.ts` makes. */
function plain(check: is.Check): Rule {
  return (value, at, errors) => {
    const wrong = check(value);
    if (wrong !== null) errors.add(at, wrong);
  };
}

/** Checks an object whose members are all known. Answers the object, or null when it is none. */
function members(
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

function list(of: Rule): Rule {
  return (value, at, errors) => {
    if (!Array.isArray(value)) return errors.add(at, 'must be an array');
    for (const [place, item] of value.entries()) of(item, pointerTo(at, place), errors);
  };
}

const languageMap: Rule = (value, at, errors) => {
  if (!isObject(value)) return errors.add(at, 'must be an object with a text for each language');
  for (const [language, words] of Object.entries(value)) {
    const pointer = pointerTo(at, language);
    const wrong =
      is.isLanguage(language) === null ? is.isText(words) : 'must have a language tag as its name';
    if (wrong !== null) errors.add(pointer, wrong);
  }
};

const extensions: Rule = (value, at, errors) => {
  if (!isObject(value)) return errors.add(at, 'must be an object');
  for (const name of Object.keys(value)) {
    if (is.isIri(name) !== null) errors.add(pointerTo(at, name), 'must have an absolute IRI as its name');
  }
};

const ACCOUNT_RULES = { homePage: plain(is.isIri), name: plain(is.isText) };
const AGENT_RULES: Readonly<Record<string, Rule>> = {
  objectType: plain(is.isOneOf('Agent', 'Group')),
  name: plain(is.isText),
  mbox: plain(is.isMailbox),
  mbox_sha1sum: plain(is.isSha1),
  openid: plain(is.isIri),
  account: (value, at, errors) => void members(value, at, errors, ACCOUNT_RULES, ['homePage', 'name']),
};

const agent: Rule = (value, at, errors) => {
  const found = members(value, at, errors, AGENT_RULES);
  if (found === null) return;
  if (found.objectType !== undefined && found.objectType !== 'Agent') {
    errors.add(pointerTo(at, 'objectType'), 'must be Agent here');
  }
  if (identifierCount(found) !== 1) errors.add(at, `must have exactly one of ${IDENTIFIERS.join(', ')}`);
};

const group: Rule = (value, at, errors) => {
  const found = members(value, at, errors, { ...AGENT_RULES, member: list(agent) });
  if (found === null) return;
  if (found.objectType !== 'Group') errors.add(pointerTo(at, 'objectType'), 'must be Group here');
  const identifiers = identifierCount(found);
  if (identifiers > 1) errors.add(at, `must have at most one of ${IDENTIFIERS.join(', ')}`);
  if (identifiers === 0 && !(Array.isArray(found.member) && found.member.length > 0)) {
    errors.add(pointerTo(at, 'member'), 'is required in a group without an identifier');
  }
};

const actor: Rule = (value, at, errors) => {
  const isGroup = isObject(value) && value.objectType === 'Group';
  (isGroup ? group : agent)(value, at, errors);
};

const authority: Rule = (value, at, errors) => {
  actor(value, at, errors);
  if (!isObject(value) || value.objectType !== 'Group') return;
  // OAuth: an application and the person that it acts for.
  if (!Array.isArray(value.member) || value.member.length !== 2 || identifierCount(value) > 0) {
    errors.add(at, 'must be an agent, or a group of two agents that has no identifier');
  }
};

function identifierCount(value: JsonObject): number {
  return IDENTIFIERS.filter((name) => Object.hasOwn(value, name)).length;
}

const verb: Rule = (value, at, errors) =>
  void members(value, at, errors, { id: plain(is.isIri), display: languageMap }, ['id']);

const components: Rule = (value, at, errors) => {
  const rules = { id: plain(is.isText), description: languageMap };
  list((item, itemAt, found) => void members(item, itemAt, found, rules, ['id']))(value, at, errors);
  if (!Array.isArray(value)) return;
  const ids = value.map((item) => (isObject(item) ? item.id : undefined));
  if (new Set(ids).size !== ids.length) errors.add(at, 'must have a different id for each component');
};

const definition: Rule = (value, at, errors) => {
  const found = members(value, at, errors, {
    name: languageMap,
    description: languageMap,
    type: plain(is.isIri),
    moreInfo: plain(is.isIri),
    extensions,
    interactionType: plain(is.isOneOf(...INTERACTIONS)),
    correctResponsesPattern: list(plain(is.isText)),
    ...Object.fromEntries(ALL_COMPONENTS.map((name) => [name, components])),
  });
  if (found === null) return;
  const interaction = typeof found.interactionType === 'string' ? found.interactionType : null;
  const allowed = COMPONENT_LISTS[interaction ?? ''] ?? [];
  for (const name of ALL_COMPONENTS) {
    if (Object.hasOwn(found, name) && !allowed.includes(name)) {
      errors.add(pointerTo(at, name), 'is not allowed for this interactionType');
    }
  }
  if (interaction === null && Object.hasOwn(found, 'correctResponsesPattern')) {
    errors.add(pointerTo(at, 'interactionType'), 'is required with correctResponsesPattern');
  }
};

const activity: Rule = (value, at, errors) => {
  const rules = { objectType: plain(is.isOneOf('Activity')), id: plain(is.isIri), definition };
  members(value, at, errors, rules, ['id']);
};

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

/** xAPI 2.0: an agent or group and the part that it has in the statement. */
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

/** A revision and a platform are those of an activity. */
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

/** Every attachment that a statement names, those of its substatement too. */
export function attachmentsOf(value: Statement): Attachment[] {
  const inner = isObject(value.object) ? (value.object.attachments as Attachment[] | undefined) : undefined;
  return [...(value.attachments ?? []), ...(inner ?? [])];
}
