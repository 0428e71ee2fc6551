import { isObject } from '../../../is-object.ts';
import { type InputError, pointerTo } from '../../../problems/problem.ts';
import type { JsonObject } from '../xapi-types.ts';
import * as is from './data-types.ts';
import { Errors, list, members, plain, type Rule } from './member-rules.ts';

/** The members that identify an agent or a group. */
export const IDENTIFIERS = ['mbox', 'mbox_sha1sum', 'openid', 'account'] as const;
const ACCOUNT_RULES = { homePage: plain(is.isIri), name: plain(is.isText) };
const AGENT_RULES: Readonly<Record<string, Rule>> = {
  objectType: plain(is.isOneOf('Agent', 'Group')),
  name: plain(is.isText),
  mbox: plain(is.isMailbox),
  mbox_sha1sum: plain(is.isSha1),
  openid: plain(is.isIri),
  account: (value, at, errors) => void members(value, at, errors, ACCOUNT_RULES, ['homePage', 'name']),
};

/** An agent: a person or a program. */
export const agent: Rule = (value, at, errors) => {
  const found = members(value, at, errors, AGENT_RULES);
  if (found === null) return;
  if (found.objectType !== undefined && found.objectType !== 'Agent') {
    errors.add(pointerTo(at, 'objectType'), 'must be Agent here');
  }
  if (identifierCount(found) !== 1) errors.add(at, `must have exactly one of ${IDENTIFIERS.join(', ')}`);
};

/** A group of agents. */
export const group: Rule = (value, at, errors) => {
  const found = members(value, at, errors, { ...AGENT_RULES, member: list(agent) });
  if (found === null) return;
  if (found.objectType !== 'Group') errors.add(pointerTo(at, 'objectType'), 'must be Group here');
  const identifiers = identifierCount(found);
  if (identifiers > 1) errors.add(at, `must have at most one of ${IDENTIFIERS.join(', ')}`);
  if (identifiers === 0 && !(Array.isArray(found.member) && found.member.length > 0)) {
    errors.add(pointerTo(at, 'member'), 'is required in a group without an identifier');
  }
};

/** An agent or a group. */
export const actor: Rule = (value, at, errors) => {
  const isGroup = isObject(value) && value.objectType === 'Group';
  (isGroup ? group : agent)(value, at, errors);
};

/** The rule for `authority`: who vouches for a statement. */
export const authority: Rule = (value, at, errors) => {
  actor(value, at, errors);
  if (!isObject(value) || value.objectType !== 'Group') return;
  // OAuth: a group of the application and the person for whom it acts.
  if (!Array.isArray(value.member) || value.member.length !== 2 || identifierCount(value) > 0) {
    errors.add(at, 'must be an agent, or a group of two agents that has no identifier');
  }
};

function identifierCount(value: JsonObject): number {
  return IDENTIFIERS.filter((name) => Object.hasOwn(value, name)).length;
}

/** The errors in an agent or identified group that a query contains. */
export function agentErrors(value: unknown, pointer: string): readonly InputError[] {
  const errors = new Errors(false);
  actor(value, pointer, errors);
  return errors.found;
}
