import type { Static, TObject, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { parseJson } from '../../http/json-body.ts';
import { isObject } from '../../is-object.ts';
import { oncePer } from '../../once-per.ts';
import { invalidInput } from '../../problems/problem.ts';

/** 2,000 interactions with 20 members each have 40,000. */
const MAX_MEMBERS = 50_000;

/** Compiled once, because every save of every learner is checked. */
const validatorOf = oncePer((schema: TSchema): Validator => Compile(schema));

/**
 * Parses the body of a request to the content origin as JSON, whatever its media type. A page that is being closed can
 * send only a few media types. Unknown members at the top level are ignored: during an upgrade, a page may be of a later
 * release than the instance that it talks to. Halves of characters are kept: courses cut texts at a number of code units,
 * and the digests of the page include them.
 * @throws {ProblemError} `invalid-request` naming every invalid member, `malformed-json`
 */
export function readBody<T extends TObject>(schema: T, body: unknown): Static<T> {
  const sent = parseJson(Buffer.isBuffer(body) ? body : Buffer.alloc(0), MAX_MEMBERS, MAX_MEMBERS, 'keep');
  const value = isObject(sent) ? knownMembers(sent, schema) : sent;
  const validator = validatorOf(schema);
  if (validator.Check(value)) return value as Static<T>;
  throw invalidInput(
    Array.from(validator.Errors(value), ({ instancePath, message }) => ({
      pointer: instancePath,
      detail: message,
    })),
  );
}

function knownMembers(sent: object, { properties }: TObject): object {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(properties, name)));
}
