import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../is-object.ts';
import { IDENTIFIERS } from '../rules/actor-rules.ts';
import { parseTimestamp } from '../rules/data-types.ts';
import type { JsonObject, Statement } from '../xapi-types.ts';
import { agentIdentity } from './statement-index.ts';

/** Compares statements, and reduces them to identifiers. */

/** `exact`: as sent; `ids`: only identifiers; `canonical`: each text in one language only. */
export const STATEMENT_FORMATS = ['exact', 'ids', 'canonical'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** The members of a definition that are combined with those of an earlier one. */
const COMBINED: readonly string[] = ['name', 'description', 'extensions'];
/** The lists of agents and groups in a context of xAPI 2.0, and the member of their items that contains one. */
const CONTEXT_LISTS = [
  ['contextAgents', 'agent'],
  ['contextGroups', 'group'],
] as const;

/** Converts each context activity to a list, the format in which statements are stored and returned. */
export function withActivityLists<T extends JsonObject>(statement: T): T {
  const { context, object } = statement;
  const copy: JsonObject = { ...statement };
  if (isObject(context) && isObject(context.contextActivities)) {
    const lists = Object.entries(context.contextActivities).map(([name, value]) => [name, [value].flat()]);
    copy.context = { ...context, contextActivities: Object.fromEntries(lists) };
  }
  if (isObject(object) && object.objectType === 'SubStatement') copy.object = withActivityLists(object);
  return copy as T;
}

/** Whether two statements are equivalent as xAPI defines it (section 2.3.2 of "Data"). */
export function isEquivalent(one: Statement, other: Statement): boolean {
  const [first, second] = [essence(one), essence(other)];
  // A store sets these if the client does not.
  for (const name of ['timestamp', 'version', 'id']) {
    if (!(name in one && name in other)) {
      delete first[name];
      delete second[name];
    }
  }
  return isDeepStrictEqual(first, second) || isDeepStrictEqual(asStored(first), asStored(second));
}

/** Storing changes a few numbers, such as a zero with a sign. */
function asStored(statement: JsonObject): unknown {
  return JSON.parse(JSON.stringify(statement));
}

/** A statement without the parts that may differ between equivalent copies: descriptions, and values set by stores. */
function essence(statement: JsonObject): JsonObject {
  return essenceOfLists(withActivityLists(statement));
}

/** @param statement one whose activities, and those of its substatement, are lists */
function essenceOfLists(statement: JsonObject): JsonObject {
  const { stored: _stored, authority: _authority, attachments: _attachments, ...rest } = statement;
  const { timestamp, result, object, context } = rest;
  if (typeof timestamp === 'string') rest.timestamp = parseTimestamp(timestamp);
  if (isObject(result) && typeof result.duration === 'string') {
    rest.result = { ...result, duration: toHundredths(result.duration) };
  }
  if (isObject(object) && object.objectType === 'StatementRef') rest.object = inLowerCase(object, 'id');
  if (isObject(context)) {
    const { statement: reference } = context;
    rest.context = {
      ...inLowerCase(context, 'registration'),
      ...(isObject(reference) ? { statement: inLowerCase(reference, 'id') } : {}),
    };
  }
  return reduced(inLowerCase(rest, 'id'), { agent: comparableAgent, substatement: essenceOfLists });
}

/** An object with a UUID in lower case: upper case means the same (RFC 9562 section 4). */
function inLowerCase(value: JsonObject, name: string): JsonObject {
  const uuid = value[name];
  return typeof uuid === 'string' ? { ...value, [name]: uuid.toLowerCase() } : value;
}

/** The identifiers of an agent or group, without differences that xAPI ignores: the order of members, and the case of domains. */
function comparableAgent(agent: unknown): unknown {
  const ids = agentIds(agent);
  if (!isObject(ids)) return ids;
  const { mbox, member } = ids;
  if (typeof mbox === 'string') {
    return { ...ids, mbox: mbox.replace(/@[^@]*$/, (domain) => domain.toLowerCase()) };
  }
  if (!Array.isArray(member)) return ids;
  const members = member.map(comparableAgent).map((each) => ({ each, key: agentIdentity(each) ?? '' }));
  members.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
  return { ...ids, member: members.map(({ each }) => each) };
}

/** Truncates a duration to hundredths of a second. xAPI ignores smaller differences. */
function toHundredths(duration: string): string {
  return duration.replace(/([.,]\d{2})\d+S$/, '$1S');
}

/** How the parts of a statement are reduced. */
interface Reduction {
  agent: (agent: unknown) => unknown;
  substatement: (value: JsonObject) => JsonObject;
}

/** Reduces a statement to the identifiers of its actors, verb and activities. */
export function toIds(statement: JsonObject): JsonObject {
  return reduced(statement, { agent: agentIds, substatement: toIds });
}

function reduced(statement: JsonObject, reduction: Reduction): JsonObject {
  const copy: JsonObject = { ...statement };
  const { actor, verb, object, context, authority } = statement;
  copy.actor = reduction.agent(actor);
  if (isObject(verb)) copy.verb = { id: verb.id };
  if (authority !== undefined) copy.authority = reduction.agent(authority);
  copy.object = reducedObject(object, reduction);
  if (isObject(context)) copy.context = reducedContext(context, reduction);
  return copy;
}

function reducedContext(context: JsonObject, reduction: Reduction): JsonObject {
  const copy: JsonObject = { ...context };
  for (const name of ['instructor', 'team']) {
    if (copy[name] !== undefined) copy[name] = reduction.agent(copy[name]);
  }
  for (const [list, name] of CONTEXT_LISTS) {
    const value = copy[list];
    if (!Array.isArray(value)) continue;
    copy[list] = value.map((each) =>
      isObject(each) ? { ...each, [name]: reduction.agent(each[name]) } : each,
    );
  }
  if (isObject(copy.contextActivities)) {
    const lists = Object.entries(copy.contextActivities).map(([name, value]) => [
      name,
      [value].flat().map((each) => reducedObject(each, reduction)),
    ]);
    copy.contextActivities = Object.fromEntries(lists);
  }
  return copy;
}

function reducedObject(object: unknown, { agent, substatement }: Reduction): unknown {
  if (!isObject(object)) return object;
  switch (object.objectType ?? 'Activity') {
    case 'Activity':
      return { id: object.id };
    case 'Agent':
    case 'Group':
      return agent(object);
    case 'SubStatement':
      return substatement(object);
    default:
      return object;
  }
}

function agentIds(agent: unknown): unknown {
  if (!isObject(agent)) return agent;
  const identifier = IDENTIFIERS.find((name) => name in agent);
  const objectType = agent.objectType ?? 'Agent';
  if (identifier !== undefined) return { objectType, [identifier]: agent[identifier] };
  return { objectType, member: Array.isArray(agent.member) ? agent.member.map(agentIds) : [] };
}

/**
 * Merges a new definition of an activity into an earlier one, which it changes: a copy for each of thousands would take
 * too long. Texts by language and extensions are combined; other members are replaced.
 * @param current must share no object with any definition that was sent
 */
export function mergeDefinition(current: JsonObject, next: JsonObject): void {
  for (const [name, value] of Object.entries(next)) {
    const before = current[name];
    const isCombined = COMBINED.includes(name) && isObject(value);
    if (isCombined && isObject(before)) Object.assign(before, value);
    else current[name] = isCombined ? { ...value } : value;
  }
}

/** Whether two agents or groups have the same identity. */
export function isSameAgent(one: unknown, other: unknown): boolean {
  const identity = agentIdentity(one);
  return identity !== null && identity === agentIdentity(other);
}
