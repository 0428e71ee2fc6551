import { createHash } from 'node:crypto';
import { isObject, type JsonObject, type Statement } from './xapi-types.ts';

/**
 * What statements are found by. `launch` is the registration of the launch that stored them; the others are the filters
 * of the Experience API. Those named `any-…` serve `related_activities` and `related_agents`.
 */
export type IndexKind =
  | 'launch'
  | 'verb'
  | 'registration'
  | 'activity'
  | 'any-activity'
  | 'agent'
  | 'any-agent';

/** A term that a statement is found by. */
export interface IndexTerm {
  kind: IndexKind;
  term: string;
}

const TERM_CHARACTERS = 32;

/** A text of any length as a term of fixed length: databases bound the length of what they index. */
export function termOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, TERM_CHARACTERS);
}

/** The identity of an agent or group; null for a group that has none. Two are the same when these are (section 4.2.2). */
export function agentIdentity(agent: unknown): string | null {
  if (!isObject(agent)) return null;
  for (const name of ['mbox', 'mbox_sha1sum', 'openid']) {
    if (typeof agent[name] === 'string') return JSON.stringify([name, agent[name]]);
  }
  const { account } = agent;
  return isObject(account) ? JSON.stringify(['account', account.homePage, account.name]) : null;
}

/** Everything that a valid statement is found by. */
export function indexTerms(statement: Statement): IndexTerm[] {
  const found = new Map<string, IndexTerm>();
  const add = (kind: IndexKind, text: string | null) => {
    if (text === null) return;
    const term = { kind, term: termOf(text) };
    found.set(`${kind} ${term.term}`, term);
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

/** The activities that a statement or substatement names: its object, those of its context, those of its substatement. */
export function activitiesIn(statement: JsonObject): JsonObject[] {
  const { object, context } = statement;
  const around = isObject(context) && isObject(context.contextActivities) ? context.contextActivities : {};
  const inContext = Object.values(around).flat().filter(isObject);
  if (!isObject(object)) return inContext;
  const type = object.objectType ?? 'Activity';
  if (type === 'Activity') return [object, ...inContext];
  // Of an object alone only the object itself counts, not what a substatement is about.
  return type === 'SubStatement' && 'verb' in statement ? [...activitiesIn(object), ...inContext] : inContext;
}

/** Every agent and group that a statement names, with groups' members. */
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
