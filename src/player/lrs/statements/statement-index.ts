import { hash } from 'node:crypto';
import { isObject } from '../../../is-object.ts';
import type { JsonObject, Statement } from '../xapi-types.ts';

/**
 * The kinds of index terms. `launch` is the registration of the launch that stored a statement; the others are filters
 * of the Experience API. Those named `any-…` are for `related_activities` and `related_agents`.
 */
export type IndexKind =
  | 'launch'
  | 'verb'
  | 'registration'
  | 'activity'
  | 'any-activity'
  | 'agent'
  | 'any-agent';

/** A term in the index of statements. */
export interface IndexTerm {
  kind: IndexKind;
  term: string;
}

const TERM_CHARACTERS = 32;

/** Hashes a text to a term of fixed length, because databases limit the length of indexed values. */
export function termOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, TERM_CHARACTERS);
}

/**
 * The identity of an agent or group; null for an anonymous group. Equal identities mean the same agent (xAPI section
 * 4.2.2 of "Data").
 */
export function agentIdentity(agent: unknown): string | null {
  if (!isObject(agent)) return null;
  for (const name of ['mbox', 'mbox_sha1sum', 'openid']) {
    if (typeof agent[name] === 'string') return JSON.stringify([name, agent[name]]);
  }
  const { account } = agent;
  return isObject(account) ? JSON.stringify(['account', account.homePage, account.name]) : null;
}

/** All index terms of a valid statement. */
export function indexTerms(statement: Statement): IndexTerm[] {
  const found = new Map<string, IndexTerm>();
  const add = (kind: IndexKind, text: string | null) => {
    if (text === null) return;
    const key = `${kind} ${text}`;
    // A statement may mention the same activity or agent thousands of times.
    if (!found.has(key)) found.set(key, { kind, term: termOf(text) });
  };
  add('verb', statement.verb.id);
  if (typeof statement.context?.registration === 'string') {
    add('registration', statement.context.registration.toLowerCase());
  }
  for (const activity of activitiesIn({ object: statement.object })) add('activity', activity.id as string);
  for (const activity of activitiesIn(statement)) add('any-activity', activity.id as string);
  for (const agent of [statement.actor, ...agentObject(statement.object)].flatMap(withMembers)) {
    add('agent', agentIdentity(agent));
  }
  for (const agent of agentsIn(statement)) add('any-agent', agentIdentity(agent));
  return [...found.values()];
}

/** The activities of a statement or substatement: its object, those of its context, and those of its substatement. */
export function activitiesIn(statement: JsonObject): JsonObject[] {
  const { object, context } = statement;
  const around = isObject(context) && isObject(context.contextActivities) ? context.contextActivities : {};
  const inContext = Object.values(around).flat().filter(isObject);
  if (!isObject(object)) return inContext;
  const type = object.objectType ?? 'Activity';
  if (type === 'Activity') return [object, ...inContext];
  // Without a verb, the value is only the object of a statement, and the activities of a substatement do not count.
  return type === 'SubStatement' && 'verb' in statement ? [...activitiesIn(object), ...inContext] : inContext;
}

/** All agents and groups in a statement, including the members of groups. */
export function agentsIn(statement: JsonObject): JsonObject[] {
  const { actor, object, authority, context } = statement;
  const around = isObject(context) ? context : {};
  const list = (name: string, member: string) =>
    Array.isArray(around[name]) ? around[name].filter(isObject).map((each) => each[member]) : [];
  const named = [
    actor,
    authority,
    around.instructor,
    around.team,
    ...list('contextAgents', 'agent'),
    ...list('contextGroups', 'group'),
    ...agentObject(object),
  ];
  const inner = isObject(object) && object.objectType === 'SubStatement' ? agentsIn(object) : [];
  return [...named.filter(isObject).flatMap(withMembers), ...inner];
}

function agentObject(object: unknown): JsonObject[] {
  return isObject(object) && (object.objectType === 'Agent' || object.objectType === 'Group') ? [object] : [];
}

function withMembers(agent: JsonObject): JsonObject[] {
  return [agent, ...(Array.isArray(agent.member) ? agent.member.filter(isObject) : [])];
}
