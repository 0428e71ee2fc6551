import { isObject } from '../../../is-object.ts';
import type { JsonObject } from '../xapi-types.ts';
import type { Definitions } from './canonical-form.ts';

const MAX_PART_LENGTH = 120;

/**
 * Describes a statement in a sentence: “ann completed “Golf” with 85 %”. It prefers English texts, then the first
 * language.
 * @param known definitions of activities, by id, for statements that omit them
 */
export function sentenceOf(statement: JsonObject, known: Definitions = new Map()): string {
  const { actor, verb, object, result } = statement;
  const parts = [nameOfAgent(actor), wordOfVerb(verb), nameOfObject(object, known)];
  return parts.join(' ') + describeResult(isObject(result) ? result : {});
}

function nameOfAgent(agent: unknown): string {
  if (!isObject(agent)) return 'somebody';
  const { name, account, mbox, openid, member } = agent;
  if (typeof name === 'string' && name.trim() !== '') return clipped(name);
  if (isObject(account)) return clipped(String(account.name));
  if (typeof mbox === 'string') return clipped(mbox.replace(/^mailto:/i, ''));
  if (typeof openid === 'string') return clipped(openid);
  return Array.isArray(member) ? `a group of ${member.length}` : 'somebody';
}

function wordOfVerb(verb: unknown): string {
  if (!isObject(verb)) return 'did something with';
  const display = textIn(verb.display);
  return clipped(display ?? lastPart(String(verb.id)));
}

function nameOfObject(object: unknown, known: Definitions): string {
  if (!isObject(object)) return 'something';
  switch (object.objectType ?? 'Activity') {
    case 'Agent':
    case 'Group':
      return nameOfAgent(object);
    case 'StatementRef':
      return 'another statement';
    case 'SubStatement':
      return `“${sentenceOf(object, known)}”`;
  }
  const id = String(object.id);
  const name = isObject(object.definition) ? textIn(object.definition.name) : null;
  return `“${clipped(name ?? textIn(known.get(id)?.name) ?? lastPart(id))}”`;
}

function describeResult({ score, success, response }: JsonObject): string {
  const words: string[] = [];
  if (isObject(score)) {
    const { scaled, raw, max } = score;
    if (typeof scaled === 'number') words.push(`with ${Number((scaled * 100).toFixed(1))} %`);
    else if (typeof raw === 'number') words.push(`with ${raw}${typeof max === 'number' ? ` of ${max}` : ''}`);
  }
  if (typeof response === 'string' && response !== '') words.push(`with the answer “${clipped(response)}”`);
  if (typeof success === 'boolean') words.push(success ? 'successfully' : 'without success');
  return words.length === 0 ? '' : ` ${words.join(', ')}`;
}

function textIn(texts: unknown): string | null {
  if (!isObject(texts)) return null;
  const tags = Object.keys(texts);
  const tag = tags.find((each) => /^en(?:$|-)/i.test(each)) ?? tags[0];
  const text = tag === undefined ? null : texts[tag];
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** The last part of an IRI, usually the only readable one. */
function lastPart(iri: string): string {
  return iri.split(/[/#?]/).findLast((part) => part !== '') ?? iri;
}

function clipped(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_PART_LENGTH ? line : `${line.slice(0, MAX_PART_LENGTH).toWellFormed()}…`;
}
