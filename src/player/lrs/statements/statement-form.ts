import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../is-object.ts';
import { parseTimestamp } from '../rules/data-types.ts';
import type { JsonObject, Statement } from '../xapi-types.ts';
import { agentIdentity } from './statement-index.ts';

/** Compares statements, and reduces them to identifiers. */

/** `exact`: as sent; `ids`: only identifiers; `canonical`: each text in one language only. */
export const STATEMENT_FORMATS = ['exact', 'ids', 'canonical'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** The members of a definition that are combined with those of an earlier one. */
const COMBINED: readonly string[] = ['name', 'description', 'extensions'];
const IDENTIFIERS = ['mbox', 'mbox_sha1sum', 'openid', 'account'];

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
  // A UUID is the same in upper case (RFC 9562 section 4).
  if (typeof rest.id === 'string') rest.id = rest.id.toLowerCase();
  const { timestamp } = rest;
  if (typeof timestamp === 'string') rest.timestamp = parseTimestamp(timestamp);
  const { result } = rest;
  if (isObject(result) && typeof result.duration === 'string') {
    rest.result = { ...result, duration: toHundredths(result.duration) };
  }
  return toIds(
    rest,
    isObject(rest.object) && rest.object.objectType === 'SubStatement' ? essenceOfLists : undefined,
  );
}

/** Truncates a duration to hundredths of a second. xAPI ignores smaller differences. */
function toHundredths(duration: string): string {
  return duration.replace(/([.,]\d{2})\d+S$/, '$1S');
}

/** Reduces a statement to the identifiers of its actors, verb and activities. */
export function toIds(statement: JsonObject, inner: (value: JsonObject) => JsonObject = toIds): JsonObject {
  const copy: JsonObject = { ...statement };
  const { actor, verb, object, context, authority } = statement;
  copy.actor = agentIds(actor);
  if (isObject(verb)) copy.verb = { id: verb.id };
  if (authority !== undefined) copy.authority = agentIds(authority);
  copy.object = objectIds(object, inner);
  if (!isObject(context)) return copy;
  const around: JsonObject = { ...context };
  for (const name of ['instructor', 'team']) {
    if (around[name] !== undefined) around[name] = agentIds(around[name]);
  }
  if (isObject(around.contextActivities)) {
    const lists = Object.entries(around.contextActivities).map(([name, value]) => [
      name,
      [value].flat().map((each) => objectIds(each, inner)),
    ]);
    around.contextActivities = Object.fromEntries(lists);
  }
  copy.context = around;
  return copy;
}

function objectIds(object: unknown, inner: (value: JsonObject) => JsonObject): unknown {
  if (!isObject(object)) return object;
  switch (object.objectType ?? 'Activity') {
    case 'Activity':
      return { id: object.id };
    case 'Agent':
    case 'Group':
      return agentIds(object);
    case 'SubStatement':
      return inner(object);
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
